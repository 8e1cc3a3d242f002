package jsonapi

import (
	"encoding/base64"
	"maps"
	"math"
	"net/url"
	"strconv"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
)

// Names of the page parameters.
const (
	paramNumber = "page[number]"
	paramLimit  = "page[limit]"
	paramCursor = "page[cursor]"
)

// Page is the part of a list that is wanted. A cursor wins over the number.
type Page struct {
	Number int // 0-based
	Limit  int // 1 to MaxLimit

	cursor string // as it came, sealed; empty: none
}

func (p *Page) take(name, value string) (err error) {
	switch name {
	case paramNumber:
		// Beyond that no list goes, and the row's number still fits.
		p.Number, err = parseInt(value, 0, math.MaxInt32/MaxLimit)
	case paramLimit:
		p.Limit, err = parseInt(value, 1, MaxLimit)
	case paramCursor:
		if value == "" {
			return badCursor()
		}
		p.cursor = value
	default:
		return unknownParameter()
	}
	return err
}

// Pager makes the links between the pages of lists and reads them again. A
// cursor holds for the path and the filters that it was made for. It is sealed:
// where a page ends may be at something that the client can't see.
type Pager struct {
	Sealer *sealing.Ring
}

const cursorLabel = "jsonapi page cursor"

// After returns what the cursor of the query's page says, "" when there is
// none. A cursor that we didn't make for this list is Invalid, with the
// parameter as its source.
func (p Pager) After(address string, q Query) (string, error) {
	if q.Page.cursor == "" {
		return "", nil
	}
	after, ok := p.OpenCursor(cursorLabel, q.Page.cursor, q.list(address))
	if !ok {
		return "", badCursor().At(paramCursor)
	}
	return string(after), nil
}

// Cursor seals a position in the list that is bound to it.
func (p Pager) Cursor(label string, position []byte, list string) string {
	return base64.RawURLEncoding.EncodeToString(p.Sealer.Seal(label, position, []byte(list)))
}

// OpenCursor returns the position that Cursor sealed under the same label for
// the same list.
func (p Pager) OpenCursor(label, cursor, list string) (position []byte, ok bool) {
	sealed, err := sealing.Decode(cursor)
	if err != nil {
		return nil, false
	}
	position, _, err = p.Sealer.Open(label, sealed, []byte(list))
	return position, err == nil
}

// list tells lists apart: their address and what is asked of them but the page.
func (q Query) list(address string) string { return Address(address, q.kept) }

// Links returns the links of a page of the list at the address (a URL without
// a query). next is where the next page begins, "" on the last.
func (p Pager) Links(address string, q Query, next string) *Links {
	links := &Links{Self: To(Address(address, q.with(q.Page.Number, q.Page.cursor)))}
	if q.Page.Number > 0 {
		links.First = To(Address(address, q.with(0, "")))
		links.Prev = To(Address(address, q.with(q.Page.Number-1, "")))
	}
	if next != "" {
		cursor := p.Cursor(cursorLabel, []byte(next), q.list(address))
		links.Next = To(Address(address, q.with(q.Page.Number+1, cursor)))
	}
	return links
}

// Self returns the address with the query's parameters: the link of an answer
// that has no pages.
func (q Query) Self(address string) *Links { return &Links{Self: To(Address(address, q.kept))} }

// Other returns a link to the address with the query's parameters, one of them
// with another value.
func (q Query) Other(address, name, value string) *Link {
	values := url.Values{}
	maps.Copy(values, q.kept)
	values.Set(name, value)
	return To(Address(address, values))
}

// with returns the query's parameters for a page.
func (q Query) with(number int, cursor string) url.Values {
	values := url.Values{paramNumber: {strconv.Itoa(number)}, paramLimit: {strconv.Itoa(q.Page.Limit)}}
	if cursor != "" {
		values.Set(paramCursor, cursor)
	}
	maps.Copy(values, q.kept)
	return values
}

// Address joins an address and parameters, which it encodes.
func Address(address string, values url.Values) string {
	if len(values) == 0 {
		return address
	}
	return address + "?" + values.Encode()
}

func badCursor() *fault.Error {
	return invalid("The cursor is not one that a page of this list ended with. Follow links.next as it is.")
}
