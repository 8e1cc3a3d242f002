package dataapi

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Names of filters.
const (
	filterID        = "id"
	filterName      = "name"
	filterType      = "type"
	filterExtension = "extension.type"
	filterRollup    = "lastModifiedTimeRollup"
	filterNumber    = "versionNumber"
	filterHidden    = "hidden"
)

// Filters as the operations have them.
func byID() jsonapi.Filter   { return jsonapi.Filter{Name: filterID, Ops: jsonapi.Exact()} }
func byName() jsonapi.Filter { return jsonapi.Filter{Name: filterName, Ops: jsonapi.Textual()} }
func byType() jsonapi.Filter { return jsonapi.Filter{Name: filterType, Ops: jsonapi.Exact()} }
func byExtension() jsonapi.Filter {
	return jsonapi.Filter{Name: filterExtension, Ops: jsonapi.Textual()}
}
func byData() jsonapi.Filter   { return jsonapi.Filter{Name: inData + "*", Ops: jsonapi.Textual()} }
func byRollup() jsonapi.Filter { return jsonapi.Filter{Name: filterRollup, Ops: jsonapi.Ordered()} }
func byNumber() jsonapi.Filter { return jsonapi.Filter{Name: filterNumber, Ops: jsonapi.Ordered()} }
func byHidden() jsonapi.Filter { return jsonapi.Filter{Name: filterHidden, Ops: jsonapi.Exact()} }

// conditions are the filters of one query.
type conditions []jsonapi.Condition

// named returns those of the filter.
func (all conditions) named(name string) conditions {
	return slices.DeleteFunc(slices.Clone(all), func(c jsonapi.Condition) bool { return c.Name != name })
}

func (all conditions) texts(name string) []storage.TextCondition {
	var some []storage.TextCondition
	for _, c := range all.named(name) {
		some = append(some, storage.TextCondition{Op: storage.Op(c.Op), Values: c.Values})
	}
	return some
}

// data are the conditions on members of an extension's data.
func (all conditions) data() ([]storage.DataCondition, error) {
	var some []storage.DataCondition
	for _, c := range all.dataFilters() {
		if strings.ContainsAny(c.Name, `"\`) {
			return nil, fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The name in the brackets is malformed.").At(c.Parameter)
		}
		path := strings.Split(strings.TrimPrefix(c.Name, inData), ".")
		some = append(some, storage.DataCondition{Path: path, Op: storage.Op(c.Op), Values: c.Values})
	}
	return some, nil
}

func (all conditions) times(name string) ([]storage.TimeCondition, error) {
	var some []storage.TimeCondition
	for _, c := range all.named(name) {
		values := make([]time.Time, len(c.Values))
		for i, value := range c.Values {
			t, ok := jsonapi.ParseTime(value)
			if !ok {
				return nil, badValue(c, "a time such as 2026-01-31T09:00:00Z")
			}
			values[i] = t
		}
		some = append(some, storage.TimeCondition{Op: storage.Op(c.Op), Values: values})
	}
	return some, nil
}

func (all conditions) numbers(name string) ([]storage.NumberCondition, error) {
	var some []storage.NumberCondition
	for _, c := range all.named(name) {
		values := make([]int64, len(c.Values))
		for i, value := range c.Values {
			n, err := strconv.ParseInt(value, 10, 32)
			if err != nil {
				return nil, badValue(c, "a whole number")
			}
			values[i] = n
		}
		some = append(some, storage.NumberCondition{Op: storage.Op(c.Op), Values: values})
	}
	return some, nil
}

// words returns the values that all conditions of the filter have in common,
// nil without any. Each must be one that fits.
func (all conditions) words(name, form string, fits func(string) bool) ([]string, error) {
	var words []string
	for _, c := range all.named(name) {
		for _, value := range c.Values {
			if !fits(value) {
				return nil, badValue(c, form)
			}
		}
		if words == nil {
			words = slices.Clone(c.Values)
			continue
		}
		words = slices.DeleteFunc(words, func(w string) bool { return !slices.Contains(c.Values, w) })
	}
	return words, nil
}

// accounts returns the ids of hubs or projects of the id filter.
func (all conditions) accounts() ([]string, error) {
	return all.words(filterID, "b.<UUID>", urn.IsAccountID)
}

func badValue(c jsonapi.Condition, form string) error {
	return fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "Every value must be %s.", form).At(c.Parameter)
}
