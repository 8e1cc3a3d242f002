package openapicheck

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// judgeRequest returns why the document forbids the request, nil when it does
// not. Parameters that it does not know are fine.
func (op operation) judgeRequest(e exchange) error {
	query, err := url.ParseQuery(e.request.URL.RawQuery)
	if err != nil {
		return err
	}
	for _, parameter := range op.parameters() {
		if err := op.judgeParameter(parameter, query, e); err != nil {
			return err
		}
	}
	if op.RequestBody == nil {
		return nil
	}
	return op.judgeSent(op.RequestBody.Value, e)
}

func (op operation) judgeParameter(parameter *openapi3.Parameter, query url.Values, e exchange) error {
	var values []string
	switch parameter.In {
	case openapi3.ParameterInQuery:
		values = query[parameter.Name]
	case openapi3.ParameterInHeader:
		values = e.request.Header.Values(parameter.Name)
	default:
		return nil // the path matched
	}
	switch {
	case len(values) == 0 && parameter.Required:
		return fmt.Errorf("the parameter %s is missing", parameter.Name)
	case len(values) == 0:
		return nil
	case parameter.Schema.Value.Type.Is(openapi3.TypeArray):
		return op.judgeList(parameter, values)
	case len(values) > 1:
		return fmt.Errorf("the parameter %s is repeated", parameter.Name)
	}
	if err := op.schemas.check(parameter.Schema, typed(parameter.Schema.Value, values[0])); err != nil {
		return fmt.Errorf("the parameter %s is %q: %w", parameter.Name, values[0], err)
	}
	return nil
}

// judgeList judges a parameter that comes once for each of its values.
func (op operation) judgeList(parameter *openapi3.Parameter, values []string) error {
	list := listed(values)
	for i, value := range values {
		if items := parameter.Schema.Value.Items; items != nil {
			list[i] = typed(items.Value, value)
		}
	}
	if err := op.schemas.check(parameter.Schema, list); err != nil {
		return fmt.Errorf("the parameter %s is %q: %w", parameter.Name, values, err)
	}
	return nil
}

func listed(values []string) []any {
	list := make([]any, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}

func (op operation) judgeSent(body *openapi3.RequestBody, e exchange) error {
	header := e.request.Header.Get("Content-Type")
	if header == "" && len(e.sent) == 0 && !body.Required {
		return nil
	}
	described, media := mediaType(body.Content, header)
	if described == nil {
		return fmt.Errorf("the content type is %q", header)
	}
	if media == anyMedia {
		return nil
	}
	value, err := sentValue(media, described.Schema, e.sent)
	if err != nil {
		return err
	}
	return op.schemas.check(described.Schema, value)
}

func sentValue(media string, schema *openapi3.SchemaRef, sent []byte) (any, error) {
	if isJSON(media) {
		var value any
		err := json.Unmarshal(sent, &value)
		return value, err
	}
	if strings.HasPrefix(media, "text/") {
		return string(sent), nil
	}
	form, err := url.ParseQuery(string(sent))
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	for name, values := range form {
		if len(values) > 1 {
			fields[name] = listed(values) // which few fields may be
			continue
		}
		fields[name] = values[0]
		if property := schema.Value.Properties[name]; property != nil {
			fields[name] = typed(property.Value, values[0])
		}
	}
	return fields, nil
}

// typed returns a parameter's text as the type that its schema wants, as it
// stands where it is none of that type.
func typed(schema *openapi3.Schema, text string) any {
	switch {
	case schema.Type.Is(openapi3.TypeInteger), schema.Type.Is(openapi3.TypeNumber):
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	case schema.Type.Is(openapi3.TypeBoolean):
		if yes, err := strconv.ParseBool(text); err == nil {
			return yes
		}
	}
	return text
}
