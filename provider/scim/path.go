package scim

import "strings"

// place is where in a resource something is: an attribute, a part of it, or with
// within those of its values for which that holds. An empty name with extension is
// the extension as a whole.
type place struct {
	extension bool
	name      string // as the schema spells it
	sub       string // likewise; empty: the whole
	within    *node
	known     attribute // what name is
}

// attributeAt finds the attribute that a path without a filter names, with the URN of
// its schema before it or not.
func (k kind) attributeAt(path string) (place, bool) {
	among, at := k.own, place{}
	switch {
	case cutFold(&path, k.schema+":"):
	case k.extension != "" && strings.EqualFold(path, k.extension):
		return place{extension: true}, true
	case k.extension != "" && cutFold(&path, k.extension+":"):
		among, at.extension = k.extra, true
	}
	name, sub, _ := strings.Cut(path, ".")
	if at.known, _ = find(among, name); at.known.Name == "" {
		return place{}, false
	}
	at.name = at.known.Name
	if sub == "" {
		return at, true
	}
	part, ok := find(at.known.Subs, sub)
	at.sub = part.Name
	return at, ok
}

// cutFold takes the prefix, whatever its case, from the text.
func cutFold(text *string, prefix string) bool {
	if len(*text) < len(prefix) || !strings.EqualFold((*text)[:len(prefix)], prefix) {
		return false
	}
	*text = (*text)[len(prefix):]
	return true
}

// parsePath reads the path of a PATCH operation: attribute, [filter], .part. What
// names nothing that is known here is known to be so: false, and no error.
func (k kind) parsePath(path string) (place, bool, error) {
	before, rest, filtered := strings.Cut(path, "[")
	if !filtered {
		at, ok := k.attributeAt(path)
		return at, ok, nil
	}
	end := strings.LastIndexByte(rest, ']')
	if end < 0 {
		return place{}, false, invalid(invalidPath, "A bracket in the path is not closed.")
	}
	within, err := parseFilter(rest[:end])
	if err != nil {
		return place{}, false, invalid(invalidPath, "The filter in the path can't be read.")
	}
	at, ok := k.attributeAt(before + strings.TrimPrefix(rest[end+1:], ""))
	if ok && !at.known.Multi {
		return place{}, false, invalid(invalidPath, "Only lists have filters.")
	}
	at.within = within
	return at, ok, nil
}
