package jsonapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
)

// Rules: DATA-1, DATA-2
func TestTheMediaTypeIsTheClientsChoice(t *testing.T) {
	const own, plain = "application/vnd.api+json", "application/json"
	for accept, want := range map[string]string{
		"":                                   plain,
		"*/*":                                plain,
		"application/json":                   plain,
		"text/html":                          plain,
		own:                                  own,
		own + ";q=0.5":                       own,
		own + ";q=0":                         plain,
		own + ";q=0.0":                       plain,
		"application/json, " + own:           own,
		own + "; ext=x, " + own:              own,
		"APPLICATION/VND.API+JSON":           own,
		"nonsense;;, " + own:                 own,
		own + ";ext=x":                       "",
		own + ";charset=utf-8":               "",
		"application/json," + own + ";ext=x": "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		err := jsonapi.CheckAccept(r)
		if fault.Is(err, fault.NotAcceptable) != (want == "") {
			t.Errorf("Accept %q: %v", accept, err)
		}
		if want == "" {
			continue
		}
		w := httptest.NewRecorder()
		jsonapi.Write(w, r, http.StatusOK, []byte("{}"))
		if got := w.Header().Get("Content-Type"); got != want {
			t.Errorf("Accept %q: %s, want %s", accept, got, want)
		}
	}
}

// Rule: DATA-3
func TestBodiesAreReadInTheTwoMediaTypesAlone(t *testing.T) {
	for contentType, ok := range map[string]bool{
		"application/vnd.api+json":                       true,
		"application/json":                               true,
		"application/json; charset=utf-8":                true,
		"Application/Json; Charset=UTF-8":                true,
		"application/json; charset=latin1":               false,
		"application/vnd.api+json; charset=utf-8":        true,
		"Application/Vnd.Api+Json;charset=UTF-8":         true,
		"application/vnd.api+json; charset=utf16":        false,
		"application/vnd.api+json; ext=x":                false,
		"application/vnd.api+json; charset=utf-8; ext=x": false,
		"application/problem+json":                       false,
		"text/json":                                      false,
		"application/x-www-form-urlencoded":              false,
		"":                                               false,
		"nonsense/":                                      false,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"data":{"type":"folders"}}`))
		r.Header.Set("Content-Type", contentType)
		var body struct {
			Data jsonapi.Identifier `json:"data"`
		}
		err := jsonapi.Read(httptest.NewRecorder(), r, &body)
		if (err == nil) != ok || !ok && (!fault.Is(err, fault.UnsupportedMedia) || fault.From(err).Source != "Content-Type") {
			t.Errorf("%q: %v", contentType, err)
		}
		if ok && body.Data.Type != "folders" {
			t.Errorf("%q: %+v", contentType, body)
		}
	}
}

func TestADocumentIsReadStrictlyAndFaultsPointIntoIt(t *testing.T) {
	for body, pointer := range map[string]string{
		`{"data":{"type":7}}`:                 "/data/type",
		`{"data":{"attributes":{"name":{}}}}`: "/data/attributes/name",
		`{"data":{"type":"a","type":"b"}}`:    "",
		`{"data":null} x`:                     "",
		`{`:                                   "",
		"{\"data\":{\"type\":\"\\u0000\"}}":   "",
		strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40): "",
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/vnd.api+json")
		var into struct {
			Data struct {
				Type       string `json:"type"`
				Attributes struct {
					Name string `json:"name"`
				} `json:"attributes"`
			} `json:"data"`
		}
		err := jsonapi.Read(httptest.NewRecorder(), r, &into)
		if !fault.Is(err, fault.Invalid) || fault.From(err).Source != pointer {
			t.Errorf("%s: %v, source %q", body, err, fault.From(err).Source)
		}
	}
}
