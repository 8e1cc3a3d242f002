package jsonapi_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

type errorObject struct {
	ID, Status, Code, Title, Detail string
	Source, Meta                    map[string]string
}

// write returns what WriteError makes of the error.
func write(t *testing.T, err error, accept string) (*httptest.ResponseRecorder, []errorObject) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/?Sort=name&%2Fname=x", nil)
	r.Header.Set("Accept", accept)
	r = r.WithContext(httpio.With(r.Context(), &httpio.Exchange{RequestID: "request-7"}))
	jsonapi.WriteError(w, r, err)
	var document struct {
		JSONAPI struct{ Version string }
		Data    json.RawMessage
		Errors  []errorObject
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if document.JSONAPI.Version != "1.0" || document.Data != nil {
		t.Errorf("document %s", w.Body)
	}
	return w, document.Errors
}

// Rule: DATA-5
func TestEveryKindOfFaultHasItsOwnStatusAndCode(t *testing.T) {
	statuses, codes := map[int]fault.Kind{}, map[string]fault.Kind{}
	for _, kind := range fault.Kinds() {
		w, all := write(t, fault.New(kind, "", "What is wrong."), "")
		if other, taken := statuses[w.Code]; taken || w.Code < 400 {
			t.Errorf("%v and %v are both %d", kind, other, w.Code)
		}
		statuses[w.Code] = kind
		e := all[0]
		if other, taken := codes[e.Code]; taken || !regexp.MustCompile(`^[A-Z_]+$`).MatchString(e.Code) {
			t.Errorf("%v and %v both have the code %q", kind, other, e.Code)
		}
		codes[e.Code] = kind
		if e.Status != strconv.Itoa(w.Code) || e.ID != "request-7" || e.Title == "" || e.Detail == "" {
			t.Errorf("%v: %+v", kind, e)
		}
	}
}

func TestAFaultsReasonIsItsCode(t *testing.T) {
	_, all := write(t, fault.New(fault.Forbidden, "three_legged_required", "Use another token."), "")
	want := []errorObject{{ID: "request-7", Status: "403", Code: "THREE_LEGGED_REQUIRED", Title: "Forbidden",
		Detail: "Use another token."}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: DATA-4
func TestTheSourceIsAPointerAHeaderOrAParameter(t *testing.T) {
	for source, want := range map[string]map[string]string{
		"/data/attributes/name": {"pointer": "/data/attributes/name"},
		"Accept":                {"header": "Accept"},
		"page[limit]":           {"parameter": "page[limit]"},
		"folder_id":             {"parameter": "folder_id"},
		"Sort":                  {"parameter": "Sort"}, // this and the next stand in the query
		"/name":                 {"parameter": "/name"},
		"":                      nil,
	} {
		_, all := write(t, fault.New(fault.Invalid, "", "Wrong.").At(source), "")
		if diff := cmp.Diff(want, all[0].Source); diff != "" {
			t.Errorf("%q (-want +got):\n%s", source, diff)
		}
	}
}

func TestFactsOfAFaultAreMetaExceptOfOurOwnFailures(t *testing.T) {
	for kind, want := range map[fault.Kind]map[string]string{fault.Locked: {"reservedUserId": "U"}, fault.Internal: nil} {
		_, all := write(t, fault.New(kind, "", "No.").With("reservedUserId", "U"), "")
		if diff := cmp.Diff(want, all[0].Meta); diff != "" {
			t.Errorf("%v (-want +got):\n%s", kind, diff)
		}
	}
}

// Rule: DATA-4
func TestEveryFaultOfAListIsAnErrorOfItsOwn(t *testing.T) {
	var list fault.List
	list.Add(fault.New(fault.Invalid, "", "One.").At("/data/type"))
	list.Add(fault.New(fault.Invalid, "", "Two.").At("/data/id"))
	w, all := write(t, list.Err(), "")
	if w.Code != http.StatusBadRequest || len(all) != 2 || all[0].ID == all[1].ID ||
		all[1].Source["pointer"] != "/data/id" {
		t.Errorf("%d %+v", w.Code, all)
	}
}

// Rule: DATA-5
func TestOurOwnFailuresTellNothing(t *testing.T) {
	for _, err := range []error{
		errors.New("secret"), fault.New(fault.Internal, "secret", "secret").At("secret").Because(errors.New("secret")),
	} {
		if w, _ := write(t, err, ""); strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%v: %s", err, w.Body)
		}
	}
}

// Rule: DATA-6
func TestA401SaysWhatExistingClientsLookFor(t *testing.T) {
	for reason, want := range map[string]string{
		"missing_token": `Bearer realm="portico"`, "invalid_token": `Bearer realm="portico", error="invalid_token"`,
	} {
		w, all := write(t, fault.New(fault.Unauthenticated, reason, "Anything."), "")
		if all[0].Detail != "Access token provided is invalid or expired." || w.Header().Get("WWW-Authenticate") != want {
			t.Errorf("%s: %+v, %s", reason, all[0], w.Header().Get("WWW-Authenticate"))
		}
	}
	w, all := write(t, fault.New(fault.Forbidden, "insufficient_scope", "The scope is missing.").At("data:read"), "")
	if w.Header().Get("WWW-Authenticate") != `Bearer realm="portico", error="insufficient_scope", scope="data:read"` ||
		all[0].Source != nil {
		t.Errorf("missing scope: %+v, %s", all[0], w.Header().Get("WWW-Authenticate"))
	}
	if w, _ := write(t, fault.New(fault.Forbidden, "", "No."), ""); w.Header().Get("WWW-Authenticate") != "" {
		t.Error("a challenge where no token would help")
	}
}

func TestRetryAfterIsInWholeSecondsRoundedUp(t *testing.T) {
	w, _ := write(t, fault.New(fault.Locked, "", "Wait.").After(1500*time.Millisecond), "")
	if got := w.Header().Get("Retry-After"); got != "2" {
		t.Errorf("Retry-After is %q", got)
	}
}

func TestErrorsHaveTheMediaTypeThatIsWantedToo(t *testing.T) {
	for accept, want := range map[string]string{"": "application/json",
		"application/vnd.api+json": "application/vnd.api+json"} {
		w, _ := write(t, fault.New(fault.NotFound, "", "No."), accept)
		if w.Header().Get("Content-Type") != want || w.Header().Get("Vary") != "Accept" ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("Accept %q: %v", accept, w.Header())
		}
	}
}
