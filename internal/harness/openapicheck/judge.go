package openapicheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// judge returns what is wrong with an exchange.
func (op operation) judge(e exchange) []string {
	listed := op.Responses.Status(e.status)
	if listed == nil {
		return []string{fmt.Sprintf("the document does not list this status (body %.200q)", e.body)}
	}
	complaints := op.judgeHeaders(listed.Value, e)
	if err := op.judgeBody(listed.Value, e); err != nil {
		complaints = append(complaints, err.Error())
	}
	if refused(e) {
		return complaints
	}
	if err := op.judgeRequest(e); err != nil {
		complaints = append(complaints, "the document forbids this request, yet it was served: "+err.Error())
	}
	return complaints
}

// refused reports whether the answer is a no. That of an authorize request
// travels in a redirect or in a form.
func refused(e exchange) bool {
	return e.status >= http.StatusBadRequest ||
		strings.Contains(e.header.Get("Location"), "error=") ||
		bytes.Contains(e.body, []byte(`name="error"`))
}

func (op operation) judgeHeaders(response *openapi3.Response, e exchange) []string {
	var complaints []string
	for name, ref := range response.Headers {
		value := e.header.Get(name)
		if value == "" {
			if ref.Value.Required {
				complaints = append(complaints, "the header "+name+" is missing")
			}
			continue
		}
		if err := op.schemas.check(ref.Value.Schema, value); err != nil {
			complaints = append(complaints, fmt.Sprintf("the header %s is %q: %v", name, value, err))
		}
	}
	return complaints
}

func (op operation) judgeBody(response *openapi3.Response, e exchange) error {
	if len(response.Content) == 0 {
		if len(e.body) > 0 {
			return fmt.Errorf("the document has no body here, and this came: %.200q", e.body)
		}
		return nil
	}
	described, media := mediaType(response.Content, e.header.Get("Content-Type"))
	if described == nil {
		return fmt.Errorf("the document does not list the content type %q", e.header.Get("Content-Type"))
	}
	if !isJSON(media) {
		return nil
	}
	var value any
	if err := json.Unmarshal(e.body, &value); err != nil {
		return fmt.Errorf("the body is not JSON: %w: %.200q", err, e.body)
	}
	if err := op.schemas.check(described.Schema, value); err != nil {
		return fmt.Errorf("the body does not fit: %w: %.500q", err, e.body)
	}
	return nil
}

// anyMedia describes bodies whose type does not matter, or that have none.
const anyMedia = "*/*"

// mediaType returns what the document says of the content type, nil for
// nothing, and the type without its parameters, or anyMedia.
func mediaType(content openapi3.Content, header string) (*openapi3.MediaType, string) {
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		return content[anyMedia], anyMedia
	}
	if described := content[media]; described != nil {
		return described, media
	}
	return content[anyMedia], anyMedia
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}
