package httpio

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
)

// Limits of ReadJSON.
const (
	MaxJSON      = 1 << 20 // bytes of a body
	MaxJSONDepth = 32      // nested objects and arrays
)

// ReadJSON decodes the body, one JSON value of at most MaxJSON bytes that
// arrives within Patience, into v.
// Members that v does not know are passed over; what could be read in two ways
// is refused: repeated names, invalid UTF-8, U+0000, anything after the value.
//
// Faults: UnsupportedMedia unless the type is application/json or ends in
// +json, TooLarge, else Invalid with a JSON pointer as source where one is
// known; all with ReasonInvalidRequest.
func ReadJSON(w http.ResponseWriter, r *http.Request, v any) error {
	if !isJSON(r.Header.Get("Content-Type")) {
		return fault.New(fault.UnsupportedMedia, ReasonInvalidRequest, "Send the body as application/json.").At("Content-Type")
	}
	body, err := readBody(w, r, MaxJSON)
	if err != nil {
		return err
	}
	return DecodeJSON(body, v)
}

// DecodeJSON decodes body into v under the rules of ReadJSON.
func DecodeJSON(body []byte, v any) error {
	if err := checkJSON(body); err != nil {
		return err
	}
	err := json.Unmarshal(body, v)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		pointer := "/" + strings.ReplaceAll(mismatch.Field, ".", "/")
		return fault.Newf(fault.Invalid, ReasonInvalidRequest, "A JSON %s stands where another type belongs.", mismatch.Value).At(pointer)
	}
	if err != nil {
		return invalid("The body is not the JSON that belongs here.").Because(err)
	}
	return nil
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// level is one open object or array on the way through a document.
type level struct {
	names   map[string]bool // of an object; nil in an array
	wantKey bool
}

// checkJSON walks through the document once and refuses what encoding/json
// would take in silence.
func checkJSON(body []byte) error {
	if !utf8.Valid(body) {
		return invalid("The body holds invalid UTF-8.")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var open []level
	for values := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 && values == 1 {
			return nil
		}
		if err != nil {
			return invalid("The body is not valid JSON.")
		}
		if open, err = step(open, token); err != nil {
			return err
		}
		if len(open) == 0 {
			values++
		}
	}
}

// step takes one token and returns the levels that are open after it.
func step(open []level, token json.Token) ([]level, error) {
	if text, ok := token.(string); ok && !IsText(text) {
		return nil, invalid("A string holds the character U+0000.")
	}
	if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
		return open[:len(open)-1], nil
	}
	if len(open) > 0 && open[len(open)-1].names != nil {
		top := &open[len(open)-1]
		top.wantKey = !top.wantKey
		if name, isKey := token.(string); isKey && !top.wantKey {
			if top.names[name] {
				return nil, fault.Newf(fault.Invalid, ReasonInvalidRequest, "The member %s is repeated.", printable(name))
			}
			top.names[name] = true
		}
	}
	switch token {
	case json.Delim('{'):
		open = append(open, level{names: map[string]bool{}, wantKey: true})
	case json.Delim('['):
		open = append(open, level{})
	}
	if len(open) > MaxJSONDepth {
		return nil, fault.Newf(fault.Invalid, ReasonInvalidRequest, "The JSON is nested deeper than %d levels.", MaxJSONDepth)
	}
	return open, nil
}
