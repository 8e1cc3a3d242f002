package jsonapi

import (
	"encoding/binary"
	"strconv"
	"time"
)

// Writer writes JSON member by member: what lists are full of goes through it,
// since reflection over them would cost more than reading them from the
// database. Names are taken as they are; texts are escaped as encoding/json
// does without HTML escapes.
type Writer struct {
	body []byte
	more bool // something stands before in the object or array
	err  error

	moment time.Time // written last, and how: things are seldom changed after they were made
	digits []byte
}

// Written writes an object: attributes or relationships of a Resource that are
// to be written fast.
type Written func(w *Writer)

// MarshalJSON implements json.Marshaler.
func (f Written) MarshalJSON() ([]byte, error) {
	var w Writer
	w.object(f)
	return w.body, w.err
}

func (w *Writer) separate() {
	if w.more {
		w.body = append(w.body, ',')
	}
	w.more = true
}

func (w *Writer) name(name string) {
	w.separate()
	w.body = append(w.body, '"')
	w.body = append(w.body, name...)
	w.body = append(w.body, '"', ':')
}

func (w *Writer) open(bracket byte)  { w.body, w.more = append(w.body, bracket), false }
func (w *Writer) close(bracket byte) { w.body, w.more = append(w.body, bracket), true }

func (w *Writer) object(f Written) {
	w.open('{')
	f(w)
	w.close('}')
}

// Object writes a member that is an object.
func (w *Writer) Object(name string, f Written) {
	w.name(name)
	w.object(f)
}

// Text writes a text that consists of the parts.
func (w *Writer) Text(name string, parts ...string) {
	w.name(name)
	w.text(parts...)
}

// Optional writes a text unless it is empty.
func (w *Writer) Optional(name, text string) {
	if text != "" {
		w.Text(name, text)
	}
}

// Texts writes an array of texts.
func (w *Writer) Texts(name string, texts ...string) {
	w.name(name)
	w.open('[')
	for _, text := range texts {
		w.separate()
		w.text(text)
	}
	w.close(']')
}

// Number writes a whole number.
func (w *Writer) Number(name string, n int64) {
	w.name(name)
	w.body = strconv.AppendInt(w.body, n, 10)
}

// Bool writes true or false.
func (w *Writer) Bool(name string, b bool) {
	w.name(name)
	w.body = strconv.AppendBool(w.body, b)
}

// Time writes a time as FormatTime does.
func (w *Writer) Time(name string, t time.Time) {
	w.name(name)
	if !t.Equal(w.moment) || w.digits == nil {
		w.moment, w.digits = t, t.UTC().AppendFormat(w.digits[:0], TimeFormat)
	}
	w.body = append(w.body, '"')
	w.body = append(w.body, w.digits...)
	w.body = append(w.body, '"')
}

// Any writes a member as encoding/json does.
func (w *Writer) Any(name string, v any) {
	w.name(name)
	w.any(v)
}

// Link writes a link to an address that consists of the parts.
func (w *Writer) Link(name string, address ...string) {
	w.name(name)
	w.body = append(w.body, `{"href":`...)
	w.text(address...)
	w.body = append(w.body, '}')
}

func (w *Writer) text(parts ...string) {
	w.body = append(w.body, '"')
	for _, part := range parts {
		if isPlain(part) {
			w.body = append(w.body, part...)
			continue
		}
		escaped, err := Marshal(part)
		if err != nil {
			w.err = err
			return
		}
		w.body = append(w.body, escaped[1:len(escaped)-1]...)
	}
	w.body = append(w.body, '"')
}

// isPlain reports whether a text stands for itself between quotes. It looks at
// eight bytes at a time: it is asked for every address.
func isPlain(text string) bool {
	for ; len(text) >= 8; text = text[8:] {
		if eight := []byte(text[:8]); !plainEight(binary.LittleEndian.Uint64(eight)) {
			return false
		}
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// plainEight reports that none of eight bytes is a control character, a quote, a
// backslash or beyond ASCII. Taking 1 from a byte that is 0, or 32 from one that
// is below, borrows from the highest bit.
func plainEight(b uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote, backslash := b^(ones*'"'), b^(ones*'\\')
	return (b|(b-ones*' ')|(quote-ones)|(backslash-ones))&high == 0
}

func (w *Writer) any(v any) {
	if f, ok := v.(Written); ok {
		w.object(f)
		return
	}
	body, err := Marshal(v)
	if err != nil {
		w.err = err
	}
	w.body = append(w.body, body...)
}

// resource writes what encoding/json would make of the struct's tags.
func (w *Writer) resource(r Resource) {
	w.separate()
	w.open('{')
	w.Text("type", r.Type)
	w.Text("id", r.ID)
	if r.Attributes != nil {
		w.Any("attributes", r.Attributes)
	}
	if r.Relationships != nil {
		w.Any("relationships", r.Relationships)
	}
	if r.Links != nil {
		w.links(*r.Links)
	}
	w.close('}')
}

func (w *Writer) resources(all []Resource) {
	w.open('[')
	for _, r := range all {
		w.resource(r)
	}
	w.close(']')
}

func (w *Writer) links(links Links) {
	w.Object("links", func(w *Writer) {
		for _, l := range []struct {
			name string
			link *Link
		}{{"self", links.Self}, {"related", links.Related}, {"first", links.First}, {"prev", links.Prev},
			{"next", links.Next}, {"webView", links.WebView}} {
			if l.link != nil {
				w.Link(l.name, l.link.Href)
			}
		}
	})
}

// sizeOfResource is somewhat more than the bytes that one has in a list, so that a page
// needs no growing: that would copy all of it.
const sizeOfResource = 5 << 9

// document writes an envelope without errors.
func (w *Writer) document(e envelope) {
	data, isList := e.Data.([]Resource)
	size := len(data)
	if e.Included != nil {
		size += len(*e.Included)
	}
	if room := (size + 1) * sizeOfResource; cap(w.body) < room {
		w.body = make([]byte, 0, room)
	}
	w.open('{')
	w.Any("jsonapi", e.JSONAPI)
	if e.Links != nil {
		w.links(*e.Links)
	}
	switch {
	case isList:
		w.name("data")
		w.resources(data)
	case e.Data != nil:
		w.name("data")
		w.data(e.Data)
	}
	if e.Included != nil {
		w.name("included")
		w.resources(*e.Included)
	}
	if e.Meta != nil {
		w.Any("meta", e.Meta)
	}
	w.close('}')
}

func (w *Writer) data(v any) {
	if one, ok := v.(*Resource); ok && one != nil {
		w.more = false
		w.resource(*one)
		return
	}
	w.any(v)
}

// MarshalJSON implements json.Marshaler: a resource has one form.
func (r Resource) MarshalJSON() ([]byte, error) {
	var w Writer
	w.resource(r)
	return w.body, w.err
}
