package openapicheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas judges values by JSON Schema 2020-12, the dialect of OpenAPI 3.1.
// Every schema of a document is compiled once: doing it at each exchange, as
// the filter of kin-openapi does, costs more than the exchange.
type schemas struct {
	components any // of the document, where references point to

	mu       sync.Mutex
	compiled map[*openapi3.SchemaRef]*jsonschema.Schema
}

func newSchemas(document *openapi3.T) (*schemas, error) {
	s := &schemas{compiled: map[*openapi3.SchemaRef]*jsonschema.Schema{}}
	if document.Components == nil {
		return s, nil
	}
	components, err := plain(map[string]any{"schemas": document.Components.Schemas})
	s.components = components
	return s, err
}

// check returns why the value does not fit the schema; without a schema
// everything does. The value is as encoding/json decodes it.
func (s *schemas) check(schema *openapi3.SchemaRef, value any) error {
	if schema == nil {
		return nil
	}
	compiled, err := s.compile(schema)
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// compile makes a resource of its own of the schema, with the components at the
// place that references name.
func (s *schemas) compile(schema *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done := s.compiled[schema]; done != nil {
		return done, nil
	}
	itself, err := plain(schema)
	if err != nil {
		return nil, err
	}
	const name = "urn:schema"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	resource := map[string]any{"allOf": []any{itself}, "components": s.components}
	if err := compiler.AddResource(name, resource); err != nil {
		return nil, err
	}
	done, err := compiler.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("the document's schema: %w", err)
	}
	s.compiled[schema] = done
	return done, nil
}

// plain returns v as the maps, slices and numbers of its JSON.
func plain(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}
