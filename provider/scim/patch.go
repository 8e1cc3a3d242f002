package scim

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/httpio"
)

// step is one operation of a PATCH (RFC 7644, 3.5.2).
type step struct {
	op    string // add, replace or remove
	path  string
	value any
}

const maxSteps = 1000

// readPatch reads the body of a PATCH. Entra writes Add for add.
func readPatch(w http.ResponseWriter, r *http.Request) ([]step, error) {
	body := object{}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return nil, err
	}
	listed, _ := lookUp(body, "Operations")
	all, ok := listed.([]any)
	if !ok || len(all) == 0 || len(all) > maxSteps {
		return nil, invalid(invalidSyntax, "Operations is a list of 1 to %d operations.", maxSteps)
	}
	var steps []step
	for _, one := range all {
		s, err := readStep(one)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s...)
	}
	if len(steps) > maxSteps {
		return nil, invalid(invalidValue, "Operations change at most %d attributes.", maxSteps)
	}
	return steps, nil
}

// readStep reads an operation. Without a path its value is an object of what is to be changed:
// each is a step of its own.
func readStep(one any) ([]step, error) {
	said, _ := one.(object)
	op, _ := lookUp(said, "op")
	word, _ := op.(string)
	s := step{op: strings.ToLower(word)}
	if s.op != "add" && s.op != "replace" && s.op != "remove" {
		return nil, invalid(invalidSyntax, "An operation is add, replace or remove.")
	}
	path, there := lookUp(said, "path")
	if s.path, _ = path.(string); there && path != nil && s.path == "" {
		return nil, invalid(invalidPath, "The path of an operation is a text.")
	}
	s.value, _ = lookUp(said, "value")
	if s.path != "" {
		return []step{s}, nil
	}
	if s.op == "remove" {
		return nil, invalid("noTarget", "What is removed has a path.")
	}
	whole, ok := s.value.(object)
	if !ok {
		return nil, invalid(invalidValue, "Without a path the value is an object.")
	}
	steps := make([]step, 0, len(whole))
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		steps = append(steps, step{op: s.op, path: name, value: whole[name]})
	}
	return steps, nil
}

// affordable refuses steps that take long for a person: each value that is said, and each term
// of a filter, is compared with those that are there, while nobody else writes.
func affordable(steps []step) error {
	n := 0
	for _, s := range steps {
		values, _ := s.value.([]any)
		at, _, err := userKind.parsePath(s.path)
		if err != nil {
			return err
		}
		n += len(values) + at.within.terms()
	}
	if n > maxSteps {
		return invalid(invalidValue, "Operations on a person have at most %d values and parts of filters.", maxSteps)
	}
	return nil
}

// apply does a step. What the server does not know is passed over.
func (k kind) apply(doc object, s step) error {
	at, known, err := k.parsePath(s.path)
	if err != nil || !known {
		return err
	}
	return k.applyAt(doc, at, s)
}

func (k kind) applyAt(doc object, at place, s step) error {
	if at.extension && at.name == "" {
		return k.applyExtension(doc, s)
	}
	if at.known.Mutability != "readWrite" {
		return nil
	}
	within := doc
	if at.extension {
		within = partOf(doc, k.extension)
		if within == nil {
			within = object{}
		}
		defer func() {
			delete(doc, k.extension)
			if len(within) > 0 {
				doc[k.extension] = within
			}
		}()
	}
	switch {
	case at.within != nil, at.sub != "" && at.known.Multi:
		return at.applyToValues(within, s)
	case at.sub != "":
		return at.applyToPart(within, s)
	case s.op == "remove" && !(at.known.Multi && s.value != nil), s.value == nil:
		delete(within, at.name)
		return nil
	}
	return at.applyToWhole(within, s)
}

func (k kind) applyExtension(doc object, s step) error {
	all, ok := s.value.(object)
	if s.op == "remove" || s.value == nil {
		delete(doc, k.extension)
		return nil
	}
	if !ok {
		return misfit(k.extension)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := k.apply(doc, step{op: s.op, path: k.extension + ":" + name, value: all[name]}); err != nil {
			return err
		}
	}
	return nil
}

// applyToWhole changes an attribute: of one that has parts, those that are said; to a
// list values are added, once each.
func (at place) applyToWhole(within object, s step) error {
	value, err := at.known.normal(s.value)
	if err != nil {
		return err
	}
	if at.known.Multi && s.op != "replace" {
		has, _ := within[at.name].([]any)
		said, _ := value.([]any)
		without := slices.DeleteFunc(slices.Clone(has), func(v any) bool {
			return slices.ContainsFunc(said, func(o any) bool { return sameValue(v, o) })
		})
		if s.op == "add" {
			without = onePrimary(append(without, said...))
		}
		return at.put(within, without)
	}
	if part, isPart := value.(object); isPart && !at.known.Multi {
		merged := maps.Clone(partOf(within, at.name))
		if merged == nil {
			merged = object{}
		}
		maps.Copy(merged, part)
		value = merged
	}
	if delete(within, at.name); value != nil {
		within[at.name] = value
	}
	return nil
}

// sameValue reports whether two values of a list are one.
func sameValue(a, b any) bool {
	x, _ := a.(object)
	y, _ := b.(object)
	if x["value"] == nil || y["value"] == nil {
		return reflect.DeepEqual(a, b)
	}
	return same(x["value"], y["value"]) && (y["type"] == nil || same(x["type"], y["type"]))
}

func (at place) put(within object, all []any) error {
	if delete(within, at.name); len(all) > 0 {
		within[at.name] = all
	}
	return at.known.room(all)
}

// applyToPart changes a part of an attribute that is no list.
func (at place) applyToPart(within object, s step) error {
	part := maps.Clone(partOf(within, at.name))
	if part == nil {
		part = object{}
	}
	if err := at.setPart(part, s); err != nil {
		return err
	}
	if delete(within, at.name); len(part) > 0 {
		within[at.name] = part
	}
	return nil
}

func (at place) setPart(part object, s step) error {
	known, _ := find(at.known.Subs, at.sub)
	value := any(nil)
	if s.op != "remove" {
		var err error
		if value, err = known.normal(s.value); err != nil {
			return err
		}
	}
	if delete(part, at.sub); value != nil {
		part[at.sub] = value
	}
	return nil
}

// applyToValues changes those values of a list for which the filter holds, or a part of
// each. Where none does, one comes that is as the filter wants it: Entra counts on it.
func (at place) applyToValues(within object, s step) error {
	has, _ := within[at.name].([]any)
	var after []any
	met, primary := false, -1
	for _, v := range has {
		one, _ := v.(object)
		if at.within != nil && !at.within.holds(one) {
			after = append(after, one)
			continue
		}
		met = true
		changed, err := at.changed(maps.Clone(one), s)
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			after, primary = append(after, changed), len(after)
		}
	}
	if !met && s.op != "remove" {
		fresh := object{}
		if err := normalInto(fresh, at.within.wanted(), at.known.Subs); err != nil {
			return err
		}
		fresh, err := at.changed(fresh, s)
		if err != nil {
			return err
		}
		after, primary = append(after, fresh), len(after)
	}
	for i, v := range after {
		if one, _ := v.(object); primary >= 0 && i != primary && after[primary].(object)["primary"] == true &&
			one["primary"] == true {
			one["primary"] = false
		}
	}
	return at.put(within, after)
}

// changed is a value of a list after the step; empty: it is gone.
func (at place) changed(one object, s step) (object, error) {
	if at.sub != "" {
		return one, at.setPart(one, s)
	}
	if s.op == "remove" {
		return nil, nil
	}
	value, err := at.known.one(s.value)
	said, _ := value.(object)
	maps.Copy(one, said)
	return one, err
}

// wanted is a value for which the filter holds, as far as it says what is to be.
func (n *node) wanted() object {
	value := object{}
	switch {
	case n == nil:
	case n.op == "and":
		for _, kid := range n.kids {
			maps.Copy(value, kid.wanted())
		}
	case n.op == "eq" && n.value != nil && n.path != "":
		value[n.path] = n.value
	}
	return value
}
