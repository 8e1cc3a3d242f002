package webpage_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func newWriter(t *testing.T) *webpage.Writer {
	t.Helper()
	pages, err := templates.New(func() string { return "TOKEN" })
	if err != nil {
		t.Fatal(err)
	}
	return webpage.New(pages, slog.New(slog.DiscardHandler), nil)
}

func TestAPageIsKeptByNobodyAndSendsItsFormsToUsOnly(t *testing.T) {
	w := httptest.NewRecorder()
	err := newWriter(t).Send(w, http.StatusOK, func(out io.Writer) error {
		_, err := io.WriteString(out, "page")
		return err
	})
	if err != nil || w.Body.String() != "page" || w.Header().Get("Cache-Control") != "no-store" ||
		!strings.Contains(w.Header().Get("Content-Security-Policy"), "form-action 'self'") ||
		w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%v, %q, %v", err, w.Body, w.Header())
	}
}

func TestAPageThatCannotBeMadeSendsNothing(t *testing.T) {
	w, failure := httptest.NewRecorder(), errors.New("x")
	if err := newWriter(t).Send(w, http.StatusOK, func(io.Writer) error { return failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	if w.Body.Len() > 0 || len(w.Header()) > 0 {
		t.Errorf("sent %q %v", w.Body, w.Header())
	}
}

// Rule: PAGE-5
func TestEveryKindOfFaultHasAPage(t *testing.T) {
	for _, kind := range fault.Kinds() {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r = r.WithContext(httpio.With(r.Context(), &httpio.Exchange{RequestID: "req-1"}))
		newWriter(t).Error(w, r, fault.New(kind, "some_reason", "Some detail.").After(1500*time.Millisecond))
		body := w.Body.String()
		if w.Code < 400 || strings.Contains(body, "<h1></h1>") || !strings.Contains(body, "req-1") ||
			!strings.Contains(body, "error-page") || w.Header().Get("Retry-After") != "2" {
			t.Errorf("%v: %d, %v\n%s", kind, w.Code, w.Header(), body)
		}
		if told := strings.Contains(body, "Some detail."); told == (kind == fault.Internal) {
			t.Errorf("%v: the detail is told: %v", kind, told)
		}
	}
}

// A link that was cut off on its way leads nowhere, as any other that is wrong, and is
// answered in the language of whoever follows it.
//
// Rule: LANG-1
func TestWhatAnAddressLacksIsSaidToPeopleInTheirLanguage(t *testing.T) {
	for _, c := range []struct {
		refused *fault.Error
		status  int
		says    string
	}{
		{fault.Newf(fault.Invalid, "malformed_id", "The id must look like %s, percent-encoded once.", "b.<UUID>"),
			http.StatusNotFound, "Unter dieser Adresse gibt es nichts."},
		{fault.New(fault.Invalid, "invalid_request", "period must be one of day, month and year."),
			http.StatusBadRequest, "Der Zeitraum"},
		{fault.New(fault.Invalid, "invalid_request", "The parameters hold invalid UTF-8 or the character U+0000."),
			http.StatusBadRequest, "Die Parameter"},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		exchange := &httpio.Exchange{Languages: httpio.Languages{Browser: "de"}}
		newWriter(t).Error(w, r.WithContext(httpio.With(r.Context(), exchange)), c.refused)
		if body := w.Body.String(); w.Code != c.status || !strings.Contains(body, c.says) ||
			strings.Contains(body, c.refused.Detail) {
			t.Errorf("%s: %d\n%s", c.refused.Detail, w.Code, body)
		}
	}
}

// Rule: PORTAL-5
func TestFaultsStandBesideTheFieldsTheyNameAndInTheSummary(t *testing.T) {
	form := templates.Form{Inputs: []templates.Input{{Name: "name"}, {Name: "uri"}}}
	var faults fault.List
	faults.Add(fault.New(fault.Invalid, "", "Bad URI.").At("uri"))
	faults.Add(fault.New(fault.Conflict, "", "Taken.").At("uri"))
	faults.Add(fault.New(fault.Invalid, "", "Odd.").At("elsewhere"))
	if !webpage.Mark(&form, faults.Err()) {
		t.Fatal("the faults are taken for a failure")
	}
	want := templates.Form{
		Inputs: []templates.Input{{Name: "name"},
			{Name: "uri", Problems: []texts.Text{texts.Fault("Bad URI.", "", nil), texts.Fault("Taken.", "", nil)}}},
		Problems: []templates.Problem{{Text: texts.Fault("Bad URI.", "", nil), Field: "uri"},
			{Text: texts.Fault("Taken.", "", nil), Field: "uri"}, {Text: texts.Fault("Odd.", "", nil)}},
	}
	if diff := cmp.Diff(want, form); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Rule: PAGE-11
func TestTheSummaryIsInTheOrderOfTheFields(t *testing.T) {
	form := templates.Form{Inputs: []templates.Input{{Name: "name"}, {Name: "uri"}}}
	var faults fault.List
	for _, field := range []string{"elsewhere", "uri", "name", "uri"} {
		faults.Add(fault.New(fault.Invalid, "", "Bad "+field+".").At(field))
	}
	webpage.Mark(&form, faults.Err())
	var order []string
	for _, p := range form.Problems {
		order = append(order, p.Field)
	}
	if diff := cmp.Diff([]string{"name", "uri", "uri", ""}, order); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFailuresAreNotTakenForWhatWasTyped(t *testing.T) {
	for _, err := range []error{nil, errors.New("x"), fault.New(fault.Unavailable, "", ""),
		fault.New(fault.NotFound, "", "")} {
		form := templates.Form{}
		if webpage.Mark(&form, err) || len(form.Problems) > 0 {
			t.Errorf("%v is in the form", err)
		}
	}
}

func TestLinesAndChoicesAreReadAsMeant(t *testing.T) {
	if diff := cmp.Diff([]string{"a", "b c"}, webpage.Lines("  a \r\n\r\n\tb c\n")); diff != "" {
		t.Error(diff)
	}
	values := url.Values{"s.b": {"on"}, "s.a": {"on"}, "s.c": {"off"}, "s.z": {"on"}}
	if diff := cmp.Diff([]string{"a", "b"}, webpage.Chosen(values, "s", []string{"a", "b", "c"})); diff != "" {
		t.Error(diff)
	}
}

// Rule: PAGE-8
func TestAFailureStandsInTheBarAndHasAWayOn(t *testing.T) {
	for path, want := range map[string]struct {
		person httpio.Person
		way    string
	}{
		"/admin/users/x": {httpio.Person{ID: "U1", Account: "a@example.test", Admin: true}, "/admin/users"},
		"/apps/x":        {httpio.Person{ID: "U1", Account: "a@example.test"}, "/apps"},
		"/admin/keys":    {httpio.Person{ID: "U1", Account: "a@example.test"}, "/"},
		"/apps/y?a=b":    {httpio.Person{}, "/login?then=%2Fapps%2Fy%3Fa%3Db"},
	} {
		for _, kind := range fault.Kinds() {
			w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
			r = r.WithContext(httpio.With(r.Context(), &httpio.Exchange{Person: want.person}))
			newWriter(t).Error(w, r, fault.New(kind, "some_reason", "Some detail."))
			body := w.Body.String()
			if !strings.Contains(body, `<a id="way-on" class="button primary" href="`+want.way+`">`) ||
				!strings.Contains(body, "Whose turn") {
				t.Errorf("%s, %v: no way on to %s\n%s", path, kind, want.way, body)
			}
			if in := strings.Contains(body, `id="account"`); in != (want.person.ID != "") {
				t.Errorf("%s, %v: signed in, says the bar: %v", path, kind, in)
			}
		}
	}
}

func TestAClosedSignUpIsNoFaultOfTheAddress(t *testing.T) {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/sign-up", nil)
	r = r.WithContext(httpio.With(r.Context(), &httpio.Exchange{}))
	newWriter(t).Error(w, r, fault.New(fault.Forbidden, "sign_up_closed", "Nobody can sign up here."))
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "Accounts are made by administrators here") {
		t.Errorf("%d\n%s", w.Code, w.Body)
	}
}

// Rule: PAGE-5
func TestAProviderThatDoesNotAnswerIsNoFailureOfThisServer(t *testing.T) {
	w := httptest.NewRecorder()
	newWriter(t).Error(w, httptest.NewRequest(http.MethodGet, "/login/upstream/works", nil),
		fault.New(fault.Unavailable, "upstream_unreachable", "The provider does not answer."))
	body := w.Body.String()
	if w.Code != http.StatusServiceUnavailable || strings.Contains(body, "This server is not ready") ||
		strings.Contains(body, "the administrator of this server") {
		t.Errorf("%d\n%s", w.Code, body)
	}
}
