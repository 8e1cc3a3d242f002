package webpage_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
)

func listOf(t *testing.T, target string) webpage.List {
	t.Helper()
	list, err := webpage.ListOf(httptest.NewRequest(http.MethodGet, target, nil))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Rule: ADMIN-28
func TestWaysThroughAListKeepWhatIsLookedFor(t *testing.T) {
	list := listOf(t, "/l?q=ann&disabled=on&after=x&done=edited")
	want := templates.Pager{PreviousURL: "/l?before=p&disabled=on&q=ann", NextURL: "/l?after=n&disabled=on&q=ann"}
	if diff := cmp.Diff(want, list.Pager("p", "n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(templates.Pager{}, list.Pager("", "")); diff != "" {
		t.Errorf("a list of one page: -want +got:\n%s", diff)
	}
}

// Rule: ADMIN-29
func TestACursorThatLeadsNowhereLeadsToTheBeginning(t *testing.T) {
	junk := fault.New(fault.Invalid, "", "")
	for name, c := range map[string]struct {
		target string
		rows   int
		err    error
		strays bool
	}{
		"no cursor of ours":    {"/l?after=junk", 0, junk, true},
		"what followed went":   {"/l?before=x", 0, nil, true},
		"a page":               {"/l?after=x", 1, nil, false},
		"an empty list":        {"/l?q=nobody", 0, nil, false},
		"a failure of another": {"/l?after=x", 0, errors.New("x"), false},
	} {
		if got := listOf(t, c.target).Strays(c.rows, c.err); got != c.strays {
			t.Errorf("%s: strays: %v", name, got)
		}
	}
	w := httptest.NewRecorder()
	if err := listOf(t, "/l?after=x&q=ann").Begin(w, httptest.NewRequest(http.MethodGet, "/l", nil)); err != nil ||
		w.Header().Get("Location") != "/l?q=ann" {
		t.Errorf("%v, to %q", err, w.Header().Get("Location"))
	}
}
