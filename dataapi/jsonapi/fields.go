package jsonapi

import (
	"encoding/json"
	"slices"
)

// narrow leaves only the fields that were asked for in every resource whose
// type is named.
func (e *envelope) narrow(fields map[string][]string) error {
	switch data := e.Data.(type) {
	case *Resource:
		one := *data
		e.Data = &one
		if err := one.narrow(fields); err != nil {
			return err
		}
	case []Resource:
		some := slices.Clone(data)
		e.Data = some
		if err := narrowAll(some, fields); err != nil {
			return err
		}
	}
	if e.Included == nil {
		return nil
	}
	included := slices.Clone(*e.Included)
	e.Included = &included
	return narrowAll(included, fields)
}

func narrowAll(resources []Resource, fields map[string][]string) error {
	for i := range resources {
		if err := resources[i].narrow(fields); err != nil {
			return err
		}
	}
	return nil
}

func (r *Resource) narrow(fields map[string][]string) (err error) {
	wanted, named := fields[r.Type]
	if !named {
		return nil
	}
	if r.Attributes, err = members(r.Attributes, wanted); err != nil {
		return err
	}
	r.Relationships, err = members(r.Relationships, wanted)
	return err
}

// members returns the members of a struct that are wanted, nil when none is
// there.
func members(of any, wanted []string) (any, error) {
	if of == nil {
		return nil, nil
	}
	body, err := Marshal(of)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	for name := range all {
		if !slices.Contains(wanted, name) {
			delete(all, name)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}
