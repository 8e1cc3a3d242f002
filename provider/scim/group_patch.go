package scim

import (
	"strings"

	"github.com/portico-id/portico/storage"
)

// groupSteps adds what an operation does with a group. What the server does not know,
// and the id that Okta repeats, is passed over.
func groupSteps(steps []storage.SCIMGroupChange, s step) ([]storage.SCIMGroupChange, error) {
	at, known, err := groupKind.parsePath(s.path)
	if err != nil || !known {
		return steps, err
	}
	switch {
	case at.sub == "value":
		return nil, invalid(invalidPath, "Members come and go whole, by the path members.")
	case at.sub != "", at.known.Mutability == readOnly: // what a member is called is not kept
		return steps, nil
	}
	change, err := groupStep(at, s)
	return append(steps, change), err
}

func groupStep(at place, s step) (storage.SCIMGroupChange, error) {
	if at.name == "members" {
		return memberStep(at, s)
	}
	value := ""
	if s.op != "remove" {
		text, err := at.known.normal(s.value)
		if err != nil {
			return storage.SCIMGroupChange{}, err
		}
		value, _ = text.(string)
	}
	if at.name == "externalId" {
		return storage.SCIMGroupChange{ExternalID: &value}, checkGroup("-", value)
	}
	return storage.SCIMGroupChange{DisplayName: &value}, checkGroup(value, "")
}

// memberStep reads the forms in which members come and go. Entra names those who go in
// the path, or, as it did before, in the value.
func memberStep(at place, s step) (storage.SCIMGroupChange, error) {
	if at.within != nil {
		ids, ok := at.within.alternatives()
		if !ok || s.op == "add" {
			return storage.SCIMGroupChange{}, invalid(invalidPath, "Members are named by value eq.")
		}
		if s.op == "replace" {
			return storage.SCIMGroupChange{Add: ids}, nil
		}
		return storage.SCIMGroupChange{Remove: ids}, nil
	}
	ids, err := idsOf(s.value)
	switch {
	case err != nil:
		return storage.SCIMGroupChange{}, err
	case s.op == "add":
		return storage.SCIMGroupChange{Add: ids}, nil
	case s.op == "remove" && s.value != nil:
		return storage.SCIMGroupChange{Remove: ids}, nil
	}
	return storage.SCIMGroupChange{Clear: true, Add: ids}, nil
}

// alternatives are the values of value eq "a" or value eq "b".
func (n *node) alternatives() (ids []string, ok bool) {
	if n.op == "or" {
		for _, kid := range n.kids {
			some, ok := kid.alternatives()
			if !ok {
				return nil, false
			}
			ids = append(ids, some...)
		}
		return ids, true
	}
	id, isText := n.value.(string)
	return []string{id}, isText && n.op == "eq" && strings.EqualFold(n.path, "value") && n.within == nil
}

// idsOf are the ids of members, as a list of objects or texts, or one.
func idsOf(value any) ([]string, error) {
	all, isList := value.([]any)
	if !isList && value != nil {
		all = []any{value}
	}
	ids := make([]string, len(all))
	for i, one := range all {
		id := one
		if member, ok := one.(object); ok {
			id, _ = lookUp(member, "value")
		}
		text, ok := id.(string)
		if !ok || text == "" {
			return nil, invalid(invalidValue, "A member has no value.")
		}
		ids[i] = text
	}
	return ids, nil
}
