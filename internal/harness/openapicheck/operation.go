package openapicheck

import (
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// operation is one method of one path.
type operation struct {
	*openapi3.Operation
	method, path string
	segments     []string
	item         *openapi3.PathItem
	schemas      *schemas // of its document
}

// match reports whether the operation's path template fits the segments of a
// path, and how many of them it fits literally: /a/b wins over /a/{id}.
func (op operation) match(segments []string) (literal int, fits bool) {
	if len(segments) != len(op.segments) {
		return 0, false
	}
	for i, want := range op.segments {
		variable := strings.HasPrefix(want, "{") && strings.HasSuffix(want, "}")
		if !variable && want != segments[i] || variable && segments[i] == "" {
			return 0, false
		}
		if !variable {
			literal++
		}
	}
	return literal, true
}

// parameters returns the operation's parameters and those that its path has for
// all methods.
func (op operation) parameters() []*openapi3.Parameter {
	var all []*openapi3.Parameter
	for _, ref := range op.Parameters {
		all = append(all, ref.Value)
	}
	for _, ref := range op.item.Parameters {
		if op.Parameters.GetByInAndName(ref.Value.In, ref.Value.Name) == nil {
			all = append(all, ref.Value)
		}
	}
	return all
}

// exchange is a request and what came of it.
type exchange struct {
	request *http.Request
	sent    []byte // the part of the request's body that the handler read
	status  int
	header  http.Header
	body    []byte
}
