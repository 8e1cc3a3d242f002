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
// Members that v does not know are passed over, those among them whose names
// differ from a known one in case alone; what could be read in two ways is
// refused: repeated names, invalid UTF-8, U+0000, anything after the value.
//
// Faults: UnsupportedMedia unless the type is application/json or ends in
// +json, TooLarge, else Invalid with a JSON pointer as source where one is
// known; all with ReasonInvalidRequest.
func ReadJSON(w http.ResponseWriter, r *http.Request, v any) error {
	if err := mustBeJSON(r); err != nil {
		return err
	}
	body, err := readBody(w, r, MaxJSON)
	if err != nil {
		return err
	}
	return DecodeJSON(body, v)
}

// ReadOptionalJSON is ReadJSON for what need not be said: an empty body leaves v.
func ReadOptionalJSON(w http.ResponseWriter, r *http.Request, v any) error {
	body, err := readBody(w, r, MaxJSON)
	if err != nil || len(body) == 0 {
		return err
	}
	if err := mustBeJSON(r); err != nil {
		return err
	}
	return DecodeJSON(body, v)
}

func mustBeJSON(r *http.Request) error {
	if IsJSON(r.Header.Get("Content-Type")) {
		return nil
	}
	return fault.New(fault.UnsupportedMedia, ReasonInvalidRequest,
		"Send the body as application/json.").At("Content-Type")
}

// DecodeJSON decodes body into v under the rules of ReadJSON.
func DecodeJSON(body []byte, v any) error {
	body, err := checkJSON(body, v)
	if err != nil {
		return err
	}
	err = json.Unmarshal(body, v)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		pointer := "/" + strings.ReplaceAll(mismatch.Field, ".", "/")
		return fault.Newf(fault.Invalid, ReasonInvalidRequest, "A JSON %s stands where another type belongs.",
			mismatch.Value).At(pointer)
	}
	if err != nil {
		return invalid("The body is not the JSON that belongs here.").Because(err)
	}
	return nil
}

// IsJSON reports whether the value of a Content-Type is JSON, or what is written in it.
func IsJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// walk is one way through a document beside the Go value that it is for.
type walk struct {
	body  []byte
	from  int64 // where the token begins that is taken now, or white space before it
	open  []level
	value shape // of the value that comes next
}

// level is one open object or array.
type level struct {
	names   map[string]bool // of an object; nil in an array
	wantKey bool
	members map[string]shape // of a struct
	element shape            // of anything else
}

// checkJSON walks through the document once, refuses what encoding/json would
// take in silence, and returns the body without the members that it would
// mistake for others.
func checkJSON(body []byte, v any) ([]byte, error) {
	if !utf8.Valid(body) {
		return nil, invalid("The body holds invalid UTF-8.")
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	w := walk{body: bytes.Clone(body), value: shapeOf(v)}
	for values := 0; ; {
		w.from = decoder.InputOffset()
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && len(w.open) == 0 && values == 1 {
			return w.body, nil
		}
		if err != nil {
			return nil, invalid("The body is not valid JSON.")
		}
		if err = w.step(token, decoder.InputOffset()); err != nil {
			return nil, err
		}
		if len(w.open) == 0 {
			values++
		}
	}
}

// step takes one token, which ends before the offset.
func (w *walk) step(token json.Token, end int64) error {
	if text, ok := token.(string); ok && !IsText(text) {
		return invalid("A string holds the character U+0000.")
	}
	if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
		w.open = w.open[:len(w.open)-1]
		return nil
	}
	if len(w.open) > 0 {
		top := &w.open[len(w.open)-1]
		if top.names == nil {
			w.value = top.element
		} else if top.wantKey = !top.wantKey; !top.wantKey {
			return w.key(top, token.(string), end)
		}
	}
	switch token {
	case json.Delim('{'):
		w.open = append(w.open, level{names: map[string]bool{}, wantKey: true, members: w.value.members(),
			element: w.value.element()})
	case json.Delim('['):
		w.open = append(w.open, level{element: w.value.element()})
	}
	if len(w.open) > MaxJSONDepth {
		return fault.Newf(fault.Invalid, ReasonInvalidRequest, "The JSON is nested deeper than %d levels.", MaxJSONDepth)
	}
	return nil
}

// key takes the name of a member. One that no field has, and that encoding/json
// would take for a field's all the same, becomes a name that none can have.
func (w *walk) key(object *level, name string, end int64) error {
	if object.names[name] {
		return fault.Newf(fault.Invalid, ReasonInvalidRequest, "The member %s is repeated.", printable(name))
	}
	object.names[name] = true
	w.value = object.element
	if object.members == nil {
		return nil
	}
	known := false
	if w.value, known = object.members[name]; known {
		return nil
	}
	for other := range object.members {
		if strings.EqualFold(other, name) {
			begin := w.from + int64(bytes.IndexByte(w.body[w.from:end], '"')) + 1
			copy(w.body[begin:end-1], bytes.Repeat([]byte{'?'}, int(end-1-begin)))
		}
	}
	return nil
}
