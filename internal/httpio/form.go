package httpio

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
)

// Limits of ReadForm and ReadQuery.
const (
	MaxForm       = 64 << 10 // bytes of a form or a query
	MaxParameters = 250      // a page asks about a hundred files at once, and for more
)

// ReasonInvalidRequest is the reason of every fault of ReadForm and ReadQuery:
// OAuth's word for a malformed request (RFC 6749 5.2).
const ReasonInvalidRequest = "invalid_request"

const formType = "application/x-www-form-urlencoded"

// ReadForm reads the body as a form of at most MaxForm bytes and MaxParameters
// parameters, each name at most once (RFC 6749 3.1) but for severalTimes, that arrives within
// Patience. A request without a body
// is an empty form. It leaves the same values in r.Form and r.PostForm, without
// the query, so that a library that asks the request sees what was checked.
//
// Faults: UnsupportedMedia for another media type or charset, TooLarge beyond
// MaxForm, else Invalid; all with ReasonInvalidRequest. Only beside the fault of
// a repeated parameter are there values: all that came, for who has to find out
// where to send the refusal.
func ReadForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	values, err := readForm(w, r)
	if err != nil {
		return values, err
	}
	r.Form, r.PostForm = values, values
	return values, nil
}

func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.ContentLength == 0 && r.Header.Get("Content-Type") == "" {
		return url.Values{}, nil
	}
	if err := checkFormType(r.Header.Values("Content-Type")); err != nil {
		return nil, err
	}
	body, err := readBody(w, r, MaxForm)
	if err != nil {
		return nil, err
	}
	return parseParameters(string(body))
}

// ReadQuery reads the query under the rules of ReadForm.
func ReadQuery(r *http.Request) (url.Values, error) {
	if len(r.URL.RawQuery) > MaxForm {
		return nil, fault.Newf(fault.TooLarge, ReasonInvalidRequest, "The query is larger than %d bytes.", MaxForm)
	}
	return parseParameters(r.URL.RawQuery)
}

func checkFormType(headers []string) error {
	refused := fault.New(fault.UnsupportedMedia, ReasonInvalidRequest, "Send the body as "+formType+".").At("Content-Type")
	if len(headers) != 1 {
		return refused
	}
	media, params, err := mime.ParseMediaType(headers[0])
	if err != nil {
		return refused.Because(err)
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return refused
	}
	if media != formType {
		return refused
	}
	return nil
}

func parseParameters(encoded string) (url.Values, error) {
	if strings.Count(encoded, "&") >= MaxParameters {
		return nil, fault.Newf(fault.Invalid, ReasonInvalidRequest, "There are more than %d parameters.", MaxParameters)
	}
	values, err := url.ParseQuery(encoded)
	if err != nil {
		// The cause quotes what was sent, which may be a secret: it is dropped.
		return nil, invalid("The parameters are not form-encoded.")
	}
	for name, all := range values {
		if !IsText(name) || slices.ContainsFunc(all, func(v string) bool { return !IsText(v) }) {
			return nil, invalid("The parameters hold invalid UTF-8 or the character U+0000.")
		}
	}
	if name, found := repeated(values); found {
		return values, fault.Newf(fault.Invalid, ReasonInvalidRequest, "The parameter %s is repeated.",
			printable(name)).At(name)
	}
	return values, nil
}

// severalTimes are what a request may say more than once (RFC 8707, 2, and RFC 8693, 2.1).
var severalTimes = []string{"resource", "audience"}

// repeated returns the first name, in alphabetical order, that came twice.
func repeated(values url.Values) (string, bool) {
	var names []string
	for name, all := range values {
		if len(all) > 1 && !slices.Contains(severalTimes, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return slices.Min(names), true
}

// IsText reports whether s can be kept and handed on as text: valid UTF-8
// without U+0000, which PostgreSQL refuses.
func IsText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsRune(s, 0)
}

// printable returns name if it can stand in an error description (the
// characters of RFC 6749 5.2, and not endless), else a word for it.
func printable(name string) string {
	outside := func(c rune) bool { return c < 0x21 || c > 0x7e || c == '"' || c == '\\' }
	if name == "" || len(name) > 64 || strings.ContainsFunc(name, outside) {
		return "with the unprintable name"
	}
	return name
}

func invalid(detail string) *fault.Error {
	return fault.New(fault.Invalid, ReasonInvalidRequest, detail)
}
