package search

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

// fitsData decides by the data of a tip's extension as readers see it, nil when
// nobody asks for that.
func (h *Handler) fitsData(all filter.Conditions) func(storage.ItemWithTip) bool {
	wanted := all.OnData()
	if len(wanted) == 0 {
		return nil
	}
	shown := shape.Shower{Shape: h.tell.Shape}
	return func(i storage.ItemWithTip) bool {
		attributes := decoded(shown.Version(i.Item.ProjectID, &i.Tip).Attributes)
		return !slices.ContainsFunc(wanted, func(c jsonapi.Condition) bool {
			return !memberFits(attributes, strings.Split(c.Name, "."), c)
		})
	}
}

// decoded returns a value as its readers decode it, numbers as they are written.
func decoded(v any) any {
	body, err := json.Marshal(v)
	if err != nil {
		return nil // can't be: it is sent to clients
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// memberFits reports whether what lies at the end of the way fits. Of an array,
// one entry has to.
func memberFits(value any, way []string, c jsonapi.Condition) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, func(entry any) bool { return memberFits(entry, way, c) })
	case map[string]any:
		if len(way) == 0 {
			return false
		}
		member, given := v[way[0]]
		return given && memberFits(member, way[1:], c)
	}
	if len(way) > 0 {
		return false
	}
	return slices.ContainsFunc(c.Values, func(wanted string) bool { return scalarFits(value, c.Op, wanted) })
}

// scalarFits compares numbers with numbers as such, and everything else as text.
func scalarFits(value any, op jsonapi.Op, wanted string) bool {
	text := ""
	switch v := value.(type) {
	case json.Number:
		n, err := v.Float64()
		w, failed := strconv.ParseFloat(wanted, 64)
		if err == nil && failed == nil && slices.Contains(jsonapi.Ordered(), op) {
			return filter.Ordered(storage.Op(op), cmp.Compare(n, w))
		}
		text = v.String()
	case string:
		text = v
	case bool:
		text = strconv.FormatBool(v)
	default:
		return false
	}
	if op == jsonapi.OpIContains {
		return strings.Contains(textkey.Fold(text), textkey.Fold(wanted))
	}
	return filter.Compares(storage.Op(op), text, wanted)
}
