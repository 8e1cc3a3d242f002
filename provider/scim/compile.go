package scim

import (
	"maps"
	"strings"
	"time"

	"github.com/portico-id/portico/storage"
)

// fields are what a list can be asked by, in small letters: what has an index. The
// rest is refused, never a whole list read.
func (k kind) fields() map[string]storage.SCIMField {
	all := map[string]storage.SCIMField{
		"id": storage.SCIMID, "externalid": storage.SCIMExternalID, "meta.created": storage.SCIMCreated,
		"meta.lastmodified": storage.SCIMModified,
	}
	more := map[string]storage.SCIMField{"displayname": storage.SCIMName, "members": storage.SCIMMemberID,
		"members.value": storage.SCIMMemberID}
	if k.name == userKind.name {
		more = map[string]storage.SCIMField{"username": storage.SCIMName, "emails": storage.SCIMEmail,
			"emails.value": storage.SCIMEmail, "active": storage.SCIMActive}
	}
	maps.Copy(all, more)
	return all
}

// compile reads a filter into what the store compares.
func (k kind) compile(text string) (storage.SCIMFilter, error) {
	if text == "" {
		return storage.SCIMFilter{}, nil
	}
	n, err := parseFilter(text)
	if err != nil {
		return storage.SCIMFilter{}, err
	}
	return k.filter(n)
}

func (k kind) filter(n *node) (storage.SCIMFilter, error) {
	switch n.op {
	case "and", "or", "not":
		kids := make([]storage.SCIMFilter, len(n.kids))
		for i, kid := range n.kids {
			var err error
			if kids[i], err = k.filter(kid); err != nil {
				return storage.SCIMFilter{}, err
			}
		}
		return map[string]storage.SCIMFilter{"and": {All: kids}, "or": {Any: kids}, "not": {Not: &kids[0]}}[n.op], nil
	}
	if n.within != nil {
		return k.list(n)
	}
	return k.comparison(n.path, n.op, n.value)
}

// list reads path[value eq "x"] and path[type eq "work"].value eq "x": people have
// one address here, and groups one kind of member, whatever the type.
func (k kind) list(n *node) (storage.SCIMFilter, error) {
	if n.sub != "" {
		if n.within.op == "eq" && strings.EqualFold(n.within.path, "type") {
			return k.comparison(n.path+"."+n.sub, n.op, n.value)
		}
	} else if strings.EqualFold(n.within.path, "value") {
		return k.comparison(n.path+".value", n.within.op, n.within.value)
	}
	return storage.SCIMFilter{}, invalid(invalidFilter, "Nothing can be found by %s[…] like this.", n.path)
}

func (k kind) comparison(path, op string, value any) (storage.SCIMFilter, error) {
	cutFold(&path, k.schema+":")
	field, known := k.fields()[strings.ToLower(path)]
	if !known {
		return storage.SCIMFilter{}, invalid(invalidFilter, "Nothing can be found by %s.", path)
	}
	if op == "pr" {
		return present(field), nil
	}
	filter := storage.SCIMFilter{Field: field, Op: operators[op], Value: value}
	if op == "ne" {
		filter.Op = storage.OpEqual
		return storage.SCIMFilter{Not: &filter}, fit(&filter, path)
	}
	return filter, fit(&filter, path)
}

var operators = map[string]storage.Op{"eq": storage.OpEqual, "co": storage.OpContains, "sw": storage.OpStarts,
	"ew": storage.OpEnds, "gt": storage.OpMore, "ge": storage.OpAtLeast, "lt": storage.OpLess, "le": storage.OpAtMost}

// present is what holds where the field has a value: only these two may have none.
func present(field storage.SCIMField) storage.SCIMFilter {
	if field == storage.SCIMExternalID {
		return storage.SCIMFilter{Not: &storage.SCIMFilter{Field: field, Op: storage.OpEqual, Value: ""}}
	}
	return storage.SCIMFilter{}
}

// fit makes the value one of the field's sort.
func fit(f *storage.SCIMFilter, path string) error {
	wrong := invalid(invalidFilter, "%s can't be compared like this.", path)
	switch text, isText := f.Value.(string); f.Field {
	case storage.SCIMCreated, storage.SCIMModified:
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || f.Op == storage.OpContains || f.Op == storage.OpStarts || f.Op == storage.OpEnds {
			return wrong
		}
		f.Value = at
	case storage.SCIMActive:
		if isText {
			f.Value = strings.EqualFold(text, "true")
		}
		if _, isFlag := f.Value.(bool); !isFlag || f.Op != storage.OpEqual {
			return wrong
		}
	case storage.SCIMMemberID:
		if !isText || f.Op != storage.OpEqual {
			return wrong
		}
	default:
		if !isText {
			return wrong
		}
	}
	return nil
}
