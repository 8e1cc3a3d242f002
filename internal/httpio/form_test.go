package httpio_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

const formType = "application/x-www-form-urlencoded"

func post(contentType, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/token", strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

func parameters(n int) string {
	return strings.Repeat("&", n-1)
}

// Rule: TOKEN-1
func TestReadFormTakesWhatIsWellFormed(t *testing.T) {
	tests := map[string]struct {
		contentType, body string
		want              url.Values
	}{
		"plain":                {formType, "a=1&b=two+words", url.Values{"a": {"1"}, "b": {"two words"}}},
		"charset UTF-8":        {formType + "; charset=UTF-8", "a=%C3%A9", url.Values{"a": {"é"}}},
		"a value is empty":     {formType, "a=&b", url.Values{"a": {""}, "b": {""}}},
		"no body and no type":  {"", "", url.Values{}},
		"as many as are taken": {formType, parameters(httpio.MaxParameters), url.Values{}},
		"as large as is allowed": {formType, "a=" + strings.Repeat("x", httpio.MaxForm-2),
			url.Values{"a": {strings.Repeat("x", httpio.MaxForm-2)}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := post(tt.contentType, tt.body)
			got, err := httpio.ReadForm(httptest.NewRecorder(), r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("form (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, r.PostForm); diff != "" {
				t.Errorf("r.PostForm (-want +got):\n%s", diff)
			}
		})
	}
}

// Rule: TOKEN-1
func TestReadFormRefusesWhatIsNot(t *testing.T) {
	tests := map[string]struct {
		contentType, body string
		kind              fault.Kind
		source            string
	}{
		"JSON":                       {"application/json", `{"a":1}`, fault.UnsupportedMedia, "Content-Type"},
		"multipart":                  {"multipart/form-data; boundary=x", "--x--", fault.UnsupportedMedia, "Content-Type"},
		"no media type":              {"", "a=1", fault.UnsupportedMedia, "Content-Type"},
		"another charset":            {formType + "; charset=ISO-8859-1", "a=1", fault.UnsupportedMedia, "Content-Type"},
		"one byte too many":          {formType, "a=" + strings.Repeat("x", httpio.MaxForm-1), fault.TooLarge, ""},
		"one parameter too many":     {formType, parameters(httpio.MaxParameters + 1), fault.Invalid, ""},
		"a repeated parameter":       {formType, "b=1&a=2&b=3&c=1&c=1", fault.Invalid, "b"},
		"repeated in another escape": {formType, "a=1&%61=2", fault.Invalid, "a"},
		"a malformed escape":         {formType, "a=%zz", fault.Invalid, ""},
		"a semicolon as separator":   {formType, "a=1;b=2", fault.Invalid, ""},
		"invalid UTF-8 in a value":   {formType, "a=%ff", fault.Invalid, ""},
		"invalid UTF-8 in a name":    {formType, "%ff=a", fault.Invalid, ""},
		"U+0000":                     {formType, "a=x%00y", fault.Invalid, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := post(tt.contentType, tt.body)
			values, err := httpio.ReadForm(httptest.NewRecorder(), r)
			refused(t, err, tt.kind, tt.source)
			if repeated := strings.Contains(name, "repeated"); (values != nil) != repeated || r.PostForm != nil {
				t.Errorf("values %v, and the request has %v", values, r.PostForm)
			}
		})
	}
}

func TestReadFormRefusesTwoContentTypes(t *testing.T) {
	r := post(formType, "a=1")
	r.Header.Add("Content-Type", "text/plain")
	_, err := httpio.ReadForm(httptest.NewRecorder(), r)
	refused(t, err, fault.UnsupportedMedia, "Content-Type")
}

func TestReadQueryFollowsTheSameRules(t *testing.T) {
	got, err := httpio.ReadQuery(httptest.NewRequest(http.MethodGet, "/authorize?scope=a%20b&state=1", nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(url.Values{"scope": {"a b"}, "state": {"1"}}, got); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	_, err = httpio.ReadQuery(httptest.NewRequest(http.MethodGet, "/authorize?state=1&state=1", nil))
	refused(t, err, fault.Invalid, "state")
	_, err = httpio.ReadQuery(httptest.NewRequest(http.MethodGet, "/authorize?s="+strings.Repeat("x", httpio.MaxForm),
		nil))
	refused(t, err, fault.TooLarge, "")
}

func TestARepeatedNameIsNotReflectedWhenItCouldNotBePrinted(t *testing.T) {
	_, err := httpio.ReadForm(httptest.NewRecorder(), post(formType, "%0d%0aX=1&%0d%0aX=2"))
	if detail := fault.From(err).Detail; strings.ContainsAny(detail, "\r\n") {
		t.Errorf("detail holds a line break: %q", detail)
	}
}

func refused(t *testing.T, err error, kind fault.Kind, source string) {
	t.Helper()
	got := fault.From(err)
	if got == nil {
		t.Fatal("accepted")
	}
	if got.Kind != kind || got.Reason != httpio.ReasonInvalidRequest || got.Source != source {
		t.Errorf("got %v at %q, want %v %s at %q", err, got.Source, kind, httpio.ReasonInvalidRequest, source)
	}
}

// Rule: TOKEN-26
func FuzzReadForm(f *testing.F) {
	for _, seed := range []string{"", "a=1&b=2", "a=1&a=2", "%zz", "a=%00", "a=%ff", "a;b", "&&&", "=", "a=%E2%82%AC"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		values, err := httpio.ReadForm(httptest.NewRecorder(), post(formType, body))
		if err != nil {
			if fault.From(err).Kind == fault.Internal {
				t.Fatalf("the sender's mistake is called ours: %v", err)
			}
			return
		}
		for name, all := range values {
			if len(all) != 1 || !httpio.IsText(name) || !httpio.IsText(all[0]) {
				t.Fatalf("accepted %q = %q", name, all)
			}
		}
		again, err := httpio.ReadForm(httptest.NewRecorder(), post(formType, values.Encode()))
		if err == nil && !cmp.Equal(values, again) {
			t.Fatalf("%v became %v on the way out and in", values, again)
		}
	})
}
