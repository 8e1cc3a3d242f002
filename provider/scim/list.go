package scim

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"

// list is a part of what fits a question (RFC 7644, 3.4.2).
type list struct {
	Schemas   []string `json:"schemas"`
	Total     int      `json:"totalResults"`
	Start     int      `json:"startIndex"`
	Count     int      `json:"itemsPerPage"`
	Resources []object `json:"Resources"`
}

// question is what a list, or one resource, is asked with.
type question struct {
	filter     string
	start      int // from 1
	count      int
	attributes []string // that alone are wanted; nil: all
	excluded   []string
}

// ask reads the question of a query.
func ask(r *http.Request) (question, error) {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return question{}, err
	}
	q := question{filter: query.Get("filter"), attributes: names(query.Get("attributes")),
		excluded: names(query.Get("excludedAttributes"))}
	if q.start, err = number(query.Get("startIndex"), 1); err != nil {
		return q, err
	}
	q.count, err = number(query.Get("count"), storage.MaxPage)
	return q.within(), err
}

// search reads the question of a body (RFC 7644, 3.4.3).
func search(w http.ResponseWriter, r *http.Request) (question, error) {
	var body struct {
		Filter     string   `json:"filter"`
		Start      *int     `json:"startIndex"`
		Count      *int     `json:"count"`
		Attributes []string `json:"attributes"`
		Excluded   []string `json:"excludedAttributes"`
	}
	if err := httpio.ReadJSON(w, r, &body); err != nil {
		return question{}, err
	}
	q := question{filter: body.Filter, start: 1, count: storage.MaxPage, attributes: body.Attributes,
		excluded: body.Excluded}
	if body.Start != nil {
		q.start = *body.Start
	}
	if body.Count != nil {
		q.count = *body.Count
	}
	return q.within(), nil
}

// within keeps the numbers within what can be asked, as RFC 7644, 3.4.2.4, says.
func (q question) within() question {
	q.start, q.count = max(q.start, 1), min(max(q.count, 0), storage.MaxPage)
	return q
}

func number(text string, otherwise int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, invalid(invalidValue, "startIndex and count are numbers.")
	}
	return n, nil
}

func names(text string) []string {
	if text == "" {
		return nil
	}
	all := strings.Split(text, ",")
	for i, name := range all {
		all[i] = strings.TrimSpace(name)
	}
	return all
}

func (q question) page() storage.SCIMPage { return storage.SCIMPage{Skip: q.start - 1, Limit: q.count} }

// wants reports whether anything of the attribute is to be told.
func (q question) wants(k kind, name string) bool {
	wanted := slices.ContainsFunc(q.attributes, func(one string) bool {
		at, ok := k.attributeAt(one)
		return ok && !at.extension && at.name == name
	})
	excluded := slices.ContainsFunc(q.excluded, func(one string) bool {
		at, ok := k.attributeAt(one)
		return ok && !at.extension && at.name == name && at.sub == ""
	})
	return (q.attributes == nil || wanted) && !excluded
}

// project leaves of a resource what is wanted.
func (q question) project(k kind, resource object) object {
	if q.attributes == nil && q.excluded == nil {
		return resource
	}
	left := object{"schemas": resource["schemas"], "id": resource["id"]}
	if q.attributes == nil {
		maps.Copy(left, resource)
	}
	for _, name := range q.attributes {
		copyPart(k, left, resource, name)
	}
	for _, name := range q.excluded {
		dropPart(k, left, name)
	}
	return left
}

// copyPart copies an attribute, or a part of one.
func copyPart(k kind, to, from object, name string) {
	at, ok := k.attributeAt(name)
	if !ok {
		return
	}
	if at.extension {
		inner, _ := from[k.extension].(object)
		if inner == nil {
			return
		}
		if at.name == "" {
			to[k.extension] = inner
			return
		}
		if to[k.extension] == nil {
			to[k.extension] = object{}
		}
		to, from = to[k.extension].(object), inner
	}
	value, there := from[at.name]
	if !there {
		return
	}
	if one, ok := value.(object); ok && at.sub != "" {
		kept, _ := to[at.name].(object)
		if kept == nil {
			kept = object{}
		}
		kept[at.sub] = one[at.sub]
		value = kept
	}
	to[at.name] = value
}

func dropPart(k kind, from object, name string) {
	at, ok := k.attributeAt(name)
	switch {
	case !ok || at.name == "id":
	case at.extension && at.name == "":
		delete(from, k.extension)
	case at.extension:
		if from[k.extension] != nil {
			from[k.extension] = without(from[k.extension], at.name)
		}
	case at.sub != "" && from[at.name] != nil:
		from[at.name] = without(from[at.name], at.sub)
	default:
		delete(from, at.name)
	}
}

// without is the value, or each of a list, copied without a part.
func without(value any, part string) any {
	switch v := value.(type) {
	case object:
		copied := maps.Clone(v)
		delete(copied, part)
		return copied
	case []object:
		all := make([]object, len(v))
		for i, one := range v {
			all[i], _ = without(one, part).(object)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			all[i] = without(one, part)
		}
		return all
	}
	return value
}
