// Package filter turns what queries ask for into the conditions and pages of
// the store, and compares texts as the store does.
//
// The grammar of queries is package jsonapi's. Start at Conditions.
package filter

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

// inData is what the names of filters by an extension's data begin with.
const inData = "extension.data."

// Names of filters.
const (
	Data      = inData + "*" // each by a member of an extension's data
	ID        = "id"
	Name      = "name"
	Type      = "type"
	Extension = "extension.type"
	Rollup    = "lastModifiedTimeRollup"
	Number    = "versionNumber"
	Hidden    = "hidden"
)

// By returns the filters with the names, as the operations have them.
func By(names ...string) []jsonapi.Filter {
	all := make([]jsonapi.Filter, len(names))
	for i, name := range names {
		all[i] = jsonapi.Filter{Name: name, Ops: jsonapi.Exact()}
		switch name {
		case Name, Extension, Data:
			all[i].Ops = jsonapi.Textual()
		case Rollup, Number:
			all[i].Ops = jsonapi.Ordered()
		}
	}
	return all
}

// Conditions are the filters of one query.
type Conditions []jsonapi.Condition

// named returns those of the filter.
func (all Conditions) named(name string) Conditions {
	return slices.DeleteFunc(slices.Clone(all), func(c jsonapi.Condition) bool { return c.Name != name })
}

// Texts are the conditions of a filter by text.
func (all Conditions) Texts(name string) []storage.TextCondition {
	var some []storage.TextCondition
	for _, c := range all.named(name) {
		some = append(some, storage.TextCondition{Op: storage.Op(c.Op), Values: c.Values})
	}
	return some
}

// Data are the conditions on members of an extension's data.
func (all Conditions) Data() ([]storage.DataCondition, error) {
	var some []storage.DataCondition
	for _, c := range all.OnData() {
		if strings.ContainsAny(c.Name, `"\`) {
			return nil, fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The name in the brackets is malformed.").At(c.Parameter)
		}
		path := strings.Split(strings.TrimPrefix(c.Name, inData), ".")
		some = append(some, storage.DataCondition{Path: path, Op: storage.Op(c.Op), Values: c.Values})
	}
	return some, nil
}

// Times are those of a filter by time.
func (all Conditions) Times(name string) ([]storage.TimeCondition, error) {
	var some []storage.TimeCondition
	for _, c := range all.named(name) {
		values := make([]time.Time, len(c.Values))
		for i, value := range c.Values {
			t, ok := jsonapi.ParseTime(strings.TrimSpace(value))
			if !ok {
				return nil, badValue(c, "a time such as 2026-01-31T09:00:00Z")
			}
			values[i] = t
		}
		some = append(some, storage.TimeCondition{Op: storage.Op(c.Op), Values: values})
	}
	return some, nil
}

// Numbers are those of a filter by whole numbers of so many bits.
func (all Conditions) Numbers(name string, bits int) ([]storage.NumberCondition, error) {
	var some []storage.NumberCondition
	for _, c := range all.named(name) {
		values := make([]int64, len(c.Values))
		for i, value := range c.Values {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, bits)
			if err != nil {
				return nil, badValue(c, "a whole number")
			}
			values[i] = n
		}
		some = append(some, storage.NumberCondition{Op: storage.Op(c.Op), Values: values})
	}
	return some, nil
}

// Words returns the values that all conditions of the filter have in common,
// nil without any, without the blanks that people write behind commas. Each must
// be one that fits.
func (all Conditions) Words(name, form string, fits func(string) bool) ([]string, error) {
	var words []string
	for _, c := range all.named(name) {
		values := make([]string, len(c.Values))
		for i, value := range c.Values {
			if values[i] = strings.TrimSpace(value); !fits(values[i]) {
				return nil, badValue(c, form)
			}
		}
		if words == nil {
			words = values
			continue
		}
		words = slices.DeleteFunc(words, func(w string) bool { return !slices.Contains(values, w) })
	}
	return words, nil
}

// Accounts returns the ids of hubs or projects of the id filter.
func (all Conditions) Accounts() ([]string, error) {
	return all.Words(ID, "b.<UUID>", urn.IsAccountID)
}

func badValue(c jsonapi.Condition, form string) error {
	return fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "Every value must be %s.", form).At(c.Parameter)
}

// OnData are the conditions on members of an extension's data.
func (all Conditions) OnData() Conditions {
	var some Conditions
	for _, c := range all {
		if strings.HasPrefix(c.Name, inData) {
			some = append(some, c)
		}
	}
	return some
}

// OneOf reports whether a word is one of those.
func OneOf(words ...string) func(string) bool {
	return func(word string) bool { return slices.Contains(words, word) }
}

// Plain are the rules of queries that neither filter nor page.
func Plain(types ...string) jsonapi.Rules { return jsonapi.Rules{Types: types} }

// Page returns what a query wants of the list at the address.
func Page(pager jsonapi.Pager, address string, q jsonapi.Query) (storage.DataPage, error) {
	after, err := pager.After(address, q)
	return storage.DataPage{After: after, Number: q.Page.Number, Limit: q.Page.Limit}, err
}
