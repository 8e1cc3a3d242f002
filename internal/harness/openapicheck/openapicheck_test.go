package openapicheck_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/openapicheck"
)

// listener is a test that notes what it is told instead of failing.
type listener struct {
	testing.TB
	complaints []string
}

func (l *listener) Errorf(format string, args ...any) {
	l.complaints = append(l.complaints, fmt.Sprintf(format, args...))
}

func load(t *testing.T) *openapicheck.Book {
	t.Helper()
	book, err := openapicheck.Load(openapicheck.Options{Files: []string{"testdata/pets.yaml"},
		Elsewhere: []string{"/about"}})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// answering returns a handler that reads the body and gives the answer.
func answering(status int, header http.Header, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

var pet = http.Header{"Content-Type": {"application/json; charset=utf-8"}, "Etag": {`"1"`}}

func to(location string) http.Header { return http.Header{"Location": {location}} }

func TestExchanges(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	cases := []struct {
		name, method, target, contentType, sent string
		status                                  int
		header                                  http.Header
		body, complaint                         string // complaint: a part of it; empty: none
	}{
		{"what the document says", "GET", "/pets/1", "", "", 200, pet, `{"name":"a","owner":null}`, ""},
		{"a parameter of its type", "GET", "/pets/1?depth=2&other=x", "", "", 200, pet, `{"name":"a"}`, ""},
		{"a status that is not listed", "GET", "/pets/1", "", "", 500, nil, "", "does not list this status"},
		{"a head that is too large for any operation", "GET", "/pets/1", "", "", 431, nil, "431", ""},
		{"a body where there is none", "GET", "/pets/1", "", "", 404, nil, "gone", "has no body here"},
		{"another content type", "GET", "/pets/1", "", "", 200, http.Header{"Content-Type": {"text/plain"}, "Etag": {`"1"`}},
			"a", "content type"},
		{"no content type", "GET", "/pets/1", "", "", 200, http.Header{"Content-Type": {}, "Etag": {`"1"`}},
			`{"name":"a"}`, "content type"},
		{"no JSON", "GET", "/pets/1", "", "", 200, pet, "{", "not JSON"},
		{"a member that is not listed", "GET", "/pets/1", "", "", 200, pet, `{"name":"a","age":3}`, "does not fit"},
		{"a member that is missing", "GET", "/pets/1", "", "", 200, pet, `{}`, "does not fit"},
		{"a header that is missing", "GET", "/pets/1", "", "", 200, http.Header{"Content-Type": {"application/json"}},
			`{"name":"a"}`, "header ETag is missing"},
		{"a header that does not fit", "GET", "/pets/1", "", "", 200,
			http.Header{"Content-Type": {"application/json"}, "Etag": {"1"}}, `{"name":"a"}`, "header ETag is"},
		{"a parameter that is forbidden, served", "GET", "/pets/1?depth=deep", "", "", 200, pet, `{"name":"a"}`,
			"forbids this request"},
		{"a parameter that is repeated, served", "GET", "/pets/1?depth=1&depth=1", "", "", 200, pet, `{"name":"a"}`,
			"forbids this request"},
		{"a parameter that is forbidden, refused", "GET", "/pets/1?depth=-1", "", "", 404, nil, "", ""},
		{"the literal path wins", "GET", "/pets/all", "", "", 204, nil, "", ""},
		{"a form", "POST", "/pets", form, "name=a&age=3", 303, to("/pets/1"), "", ""},
		{"a form that is forbidden, served", "POST", "/pets", form, "age=3", 303, to("/pets/1"), "", "forbids this request"},
		{"a field of another type, served", "POST", "/pets", form, "name=a&age=old", 303, to("/pets/1"), "",
			"forbids this request"},
		{"a field that is repeated, served", "POST", "/pets", form, "name=a&name=a", 303, to("/pets/1"), "",
			"forbids this request"},
		{"another content type, served", "POST", "/pets", "text/plain", "name=a", 303, to("/pets/1"), "",
			"forbids this request"},
		{"a form that is forbidden, refused", "POST", "/pets", form, "age=3", 400, nil, "", ""},
		{"a form that is forbidden, refused in a redirect", "POST", "/pets", form, "", 303, to("/x?error=no"), "", ""},
		{"a path in no document", "GET", "/cats", "", "", 200, nil, "", "in no document"},
		{"a path in no document, refused", "GET", "/cats", "", "", 404, nil, "", ""},
		{"a path that is left out on purpose", "GET", "/about", "", "", 200, nil, "<p>", ""},
		{"a method in no document", "PUT", "/pets", "", "", 200, nil, "", "in no document"},
		{"a method in no document, refused", "PUT", "/pets", "", "", 405, nil, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := &listener{TB: t}
			r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.sent))
			if c.contentType != "" {
				r.Header.Set("Content-Type", c.contentType)
			}
			w := httptest.NewRecorder()
			load(t).Wrap(l, answering(c.status, c.header, c.body)).ServeHTTP(w, r)
			if w.Code != c.status || w.Body.String() != c.body {
				t.Errorf("the answer was changed: %d %q", w.Code, w.Body)
			}
			l.heard(t, c.complaint)
		})
		t.Run(c.name+", as the client sees it", func(t *testing.T) {
			l := &listener{TB: t}
			server := httptest.NewServer(answering(c.status, c.header, c.body))
			t.Cleanup(server.Close)
			r, err := http.NewRequest(c.method, server.URL+c.target, strings.NewReader(c.sent))
			if err != nil {
				t.Fatal(err)
			}
			if c.contentType != "" {
				r.Header.Set("Content-Type", c.contentType)
			}
			response, err := load(t).Transport(l, http.DefaultTransport).RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != c.status || string(body) != c.body {
				t.Errorf("the answer was changed: %d %q, %v", response.StatusCode, body, err)
			}
			l.heard(t, c.complaint)
		})
	}
}

// heard checks what the listener was told: the complaint, "" for none.
func (l *listener) heard(t *testing.T, complaint string) {
	t.Helper()
	all := strings.Join(l.complaints, "\n")
	if complaint == "" && all != "" || !strings.Contains(all, complaint) {
		t.Errorf("complaints %q, want %q", all, complaint)
	}
}

func TestAnswersThatNoTestGotAreMissingUnlessExcused(t *testing.T) {
	book := load(t)
	get := func(target string, status int) {
		book.Wrap(&listener{TB: t}, answering(status, nil, "")).ServeHTTP(httptest.NewRecorder(),
			httptest.NewRequest("GET", target, nil))
	}
	get("/pets/1", 200)
	get("/pets/all", 204)
	missing := book.Unseen(map[string]string{"* 404": "shown elsewhere",
		"POST /pets 400": "shown elsewhere", "* 204": "stale"})
	want := []string{"no test got POST /pets 303", "excused, yet not missing: * 204"}
	if diff := cmp.Diff(want, missing); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDocumentsThatCannotBeCheckedAgainstAreRefused(t *testing.T) {
	const head = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /pets:\n    post:\n      responses:\n"
	for name, text := range map[string]string{
		"no OpenAPI":                    "a: b",
		"a default response":            head + "        default: {description: Anything.}\n",
		"an operation that another has": head + "        '200': {description: Fine.}\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "other.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := openapicheck.Load(openapicheck.Options{Files: []string{"testdata/pets.yaml", file}}); err == nil {
				t.Error("it was taken")
			}
		})
	}
}
