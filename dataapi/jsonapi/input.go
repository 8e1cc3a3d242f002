package jsonapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// Input is the document of a request, read member by member. What is missing,
// or of another type than it should be, gathers with its pointer, so that a
// client is told all of it at once, up to the fiftieth fault. Members that nobody reads are passed over
// (JSON:API 1.0, Document Structure).
type Input struct {
	Body []byte // as it was sent

	root   any
	wrong  fault.List
	broken map[string]bool // pointers to what is of another type
}

// ReadInput decodes the body under the rules of Read and looks at the frame: an
// object whose member data is a single resource object of the type, and whose
// version, where it names one, is text.
func ReadInput(w http.ResponseWriter, r *http.Request, kind string) (*Input, error) {
	in, err := readDocument(w, r)
	if err != nil {
		return nil, err
	}
	if got := in.Member("data", "type"); got.Text() != kind && got.isText() {
		got.Refuse(invalidf("The type must be %s.", kind))
	}
	return in, in.Err()
}

// readDocument decodes the body, a document whose version is text if it is
// there.
func readDocument(w http.ResponseWriter, r *http.Request) (*Input, error) {
	in := &Input{broken: map[string]bool{}}
	var body json.RawMessage
	if err := Read(w, r, &body); err != nil {
		return nil, err
	}
	in.Body = body
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&in.root); err != nil {
		return nil, invalid("The body is not valid JSON.").Because(err)
	}
	if _, ok := in.root.(map[string]any); !ok {
		return nil, invalid("The body must be a JSON:API document, an object with the member data.")
	}
	in.Member("jsonapi", "version").OptionalText()
	return in, nil
}

// Err returns what is wrong with the members that were read.
func (in *Input) Err() error { return in.wrong.Err() }

// Member returns the member of the document at the end of the way.
func (in *Input) Member(way ...string) Value {
	return Value{in: in, raw: in.root, given: true}.Member(way...)
}

// Value is a member of an Input, or the place where one is missing.
type Value struct {
	in      *Input
	pointer string // RFC 6901; of what is missing, that of the nearest thing above it that is there
	place   string // where it is, or should be
	name    string
	raw     any
	given   bool
}

// factMissing is the place of a member that is missing. The source of a fault
// can't lead there (JSON:API 1.1, Error Objects).
const factMissing = "missing"

// Pointer returns the place in the document, of what is missing that of the
// nearest thing above it that is there: "" is the document.
func (v Value) Pointer() string { return v.pointer }

// Given reports whether the member is there, null too.
func (v Value) Given() bool { return v.given }

// Member returns the member at the end of a way of names. Whatever stands on
// the way must be an object.
func (v Value) Member(way ...string) Value {
	for _, name := range way {
		v = v.member(name)
	}
	return v
}

func (v Value) member(name string) Value {
	missing := Value{in: v.in, pointer: v.pointer, place: v.place + "/" + escaped(name), name: name}
	if !v.given {
		return missing
	}
	object, ok := v.raw.(map[string]any)
	if !ok {
		v.mustBe("an object")
		return missing
	}
	raw, given := object[name]
	if !given {
		return missing
	}
	return Value{in: v.in, pointer: missing.place, place: missing.place, name: name, raw: raw, given: true}
}

// escaped writes a name as a part of a pointer.
var escaped = strings.NewReplacer("~", "~0", "/", "~1").Replace

// Names returns the names of an object's members, sorted.
func (v Value) Names() []string {
	object, ok := v.raw.(map[string]any)
	if v.given && !ok {
		v.mustBe("an object")
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// List returns the entries of an array, none when it is missing.
func (v Value) List() []Value {
	entries, ok := v.raw.([]any)
	if v.given && !ok {
		v.mustBe("an array")
	}
	all := make([]Value, len(entries))
	for i, raw := range entries {
		name := strconv.Itoa(i)
		place := v.place + "/" + name
		all[i] = Value{in: v.in, pointer: place, place: place, name: name, raw: raw, given: true}
	}
	return all
}

// Required returns the value, of which it is a fault to be missing, unless that
// follows from what stands in the place of something above it.
func (v Value) Required() Value {
	if !v.given && !v.in.broken[v.pointer] {
		v.Refuse(invalidf("The member %s is missing.", v.place).With(factMissing, v.place))
	}
	return v
}

// Text returns a text that must be there.
func (v Value) Text() string {
	text, _ := v.Required().OptionalText()
	return text
}

// OptionalText returns a text, false when it is missing.
func (v Value) OptionalText() (string, bool) {
	text, ok := v.raw.(string)
	if v.given && !ok {
		v.mustBe("text")
	}
	return text, ok
}

func (v Value) isText() bool {
	_, ok := v.raw.(string)
	return ok
}

// OptionalFlag returns true or false, nil when it is missing.
func (v Value) OptionalFlag() *bool {
	flag, ok := v.raw.(bool)
	if v.given && !ok {
		v.mustBe("true or false")
	}
	if !ok {
		return nil
	}
	return &flag
}

// JSON returns the value as it would be written, with sorted names.
func (v Value) JSON() json.RawMessage {
	body, err := Marshal(v.raw)
	if err != nil {
		return nil // can't be: it was decoded from JSON
	}
	return body
}

// Raw returns the value as encoding/json decodes it, numbers as json.Number.
func (v Value) Raw() any { return v.raw }

// ToOne returns the id of the resource, of the type, that a relationship leads
// to, and the id's own place; "" when the relationship is missing or wrong.
func (v Value) ToOne(kind string) (string, Value) {
	if !v.given {
		return "", v
	}
	data := v.Member("data").Required()
	if data.raw == nil {
		if data.given {
			data.Refuse(invalidf("The %s can't be empty.", v.name))
		}
		return "", data
	}
	id := data.Member("id")
	if got := data.Member("type"); got.Text() != kind && got.isText() {
		got.Refuse(invalidf("The type must be %s.", kind))
	}
	return id.Text(), id
}

// Refuse adds a fault about the value.
func (v Value) Refuse(f *fault.Error) { v.in.add(f.At(v.pointer)) }

// At returns the fault with the value's pointer.
func (v Value) At(err error) error {
	if err == nil {
		return nil
	}
	return fault.From(err).At(v.pointer)
}

func (v Value) mustBe(what string) {
	v.in.broken[v.pointer] = true
	v.Refuse(invalidf("The value must be %s.", what))
}

// maxFaults is how many faults of one document are told. A megabyte has room
// for a hundred thousand, each of which is compared with those before it.
const maxFaults = 50

// add keeps every fault once.
func (in *Input) add(f *fault.Error) {
	if len(in.wrong) == maxFaults {
		return
	}
	for _, other := range in.wrong {
		if other.Source == f.Source && other.Detail == f.Detail {
			return
		}
	}
	in.wrong.Add(f)
}
