package scim

import (
	"encoding/json"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Limits of what is kept of a resource.
const (
	maxDocument = 64 << 10 // bytes
	maxValue    = 4000     // characters of one value
)

// normal returns of a body what the schema knows and the company may say, with the
// names as the schema spells them.
func (k kind) normal(body object) (object, error) {
	doc := object{}
	if err := normalInto(doc, body, k.own); err != nil {
		return nil, err
	}
	for name, value := range body {
		if k.extension == "" || !strings.EqualFold(name, k.extension) || value == nil {
			continue
		}
		inner, ok := value.(object)
		if !ok {
			return nil, misfit(k.extension)
		}
		extra := object{}
		if err := normalInto(extra, inner, k.extra); err != nil {
			return nil, err
		}
		if len(extra) > 0 {
			doc[k.extension] = extra
		}
	}
	return doc, nil
}

func normalInto(to, from object, among []attribute) error {
	seen := map[string]bool{}
	for name, value := range from {
		if seen[strings.ToLower(name)] {
			return invalid(invalidSyntax, "The attribute %s is there twice.", name)
		}
		seen[strings.ToLower(name)] = true
		a, known := find(among, name)
		if !known {
			continue
		}
		kept, err := a.normal(value)
		if err != nil {
			return err
		}
		if kept != nil {
			to[a.Name] = kept
		}
	}
	return nil
}

// normal returns what is kept of a value; nil: nothing.
func (a attribute) normal(value any) (any, error) {
	if value == nil || a.Mutability == readOnly || a.Mutability == "writeOnly" {
		return nil, nil
	}
	if !a.Multi {
		return a.one(value)
	}
	all, isList := value.([]any)
	if !isList {
		all = []any{value}
	}
	if err := a.room(all); err != nil {
		return nil, err
	}
	var kept []any
	for _, v := range all {
		one, err := a.one(v)
		if err != nil {
			return nil, err
		}
		if one != nil {
			kept = append(kept, one)
		}
	}
	if len(kept) == 0 {
		return nil, nil
	}
	return onePrimary(kept), nil
}

// room refuses a list of too many values.
func (a attribute) room(all []any) error {
	if a.most > 0 && len(all) > a.most {
		return invalid(invalidValue, "%s has at most %d values.", a.Name, a.most)
	}
	return nil
}

// one returns a single value. Entra sends True as a text, and a manager's id alone.
func (a attribute) one(value any) (any, error) {
	switch v := value.(type) {
	case object:
		if a.Type != typeComplex {
			return nil, misfit(a.Name)
		}
		kept := object{}
		err := normalInto(kept, v, a.Subs)
		if len(kept) == 0 {
			return nil, err
		}
		return kept, err
	case string:
		if a.Type == typeComplex {
			return a.one(object{"value": v})
		}
		return a.scalar(v)
	case bool:
		if a.Type == "boolean" {
			return v, nil
		}
	case nil:
		return nil, nil
	}
	return nil, misfit(a.Name)
}

func (a attribute) scalar(text string) (any, error) {
	if a.Type == typeFlag {
		if !strings.EqualFold(text, "true") && !strings.EqualFold(text, "false") {
			return nil, misfit(a.Name)
		}
		return strings.EqualFold(text, "true"), nil
	}
	if len([]rune(text)) > maxValue {
		return nil, invalid(invalidValue, "%s is too long.", a.Name)
	}
	if text == "" {
		return nil, nil
	}
	return text, nil
}

func misfit(name string) error { return invalid(invalidValue, "%s has a value of another kind.", name) }

// onePrimary lets the last value that says so be the primary one.
func onePrimary(all []any) []any {
	found := false
	for i := len(all) - 1; i >= 0; i-- {
		if one, ok := all[i].(object); ok && one["primary"] == true {
			if found {
				one["primary"] = false
			}
			found = true
		}
	}
	return all
}

// encode returns the document as it is kept.
func encode(doc object) ([]byte, error) {
	text, err := json.Marshal(doc)
	if err == nil && len(text) > maxDocument {
		err = fault.Newf(fault.TooLarge, "", "A resource has at most %d bytes.", maxDocument)
	}
	return text, err
}

// decode is the way back.
func decode(text []byte) (object, error) {
	doc := object{}
	return doc, json.Unmarshal(text, &doc)
}

func textOf(doc object, name string) string {
	text, _ := doc[name].(string)
	return text
}

func partOf(doc object, name string) object {
	part, _ := doc[name].(object)
	return part
}
