package mcp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// busy is a feed of so many pages, each of ten changes; the cursor is how many were read.
func busy(pages int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		read, _ := strconv.Atoi(r.FormValue("cursor"))
		next, data := "", ""
		for i := read * 10; i < min(read+1, pages)*10; i++ {
			data += fmt.Sprintf(`,{"type":"events","id":"%d"}`, i+1)
		}
		read = min(read+1, pages)
		if read < pages {
			next = fmt.Sprintf(`"next":{"href":"/more?cursor=%d"}`, read)
		}
		_, _ = fmt.Fprintf(w, `{"data":[%s],"links":{%s},"meta":{"cursor":"%d"}}`, data[min(1, len(data)):], next, read)
	}
}

// Rule: MCP-2
func TestWhatHasHappenedLastSaysWhetherItIsTheLast(t *testing.T) {
	a := asker{api: busy(45), of: httptest.NewRequestWithContext(t.Context(), "POST", Path, nil)}
	type answer struct {
		Changes, LeftOut int
		Last, Cursor     string
		More             bool
	}
	var got []answer
	for in := (ofChanges{Project: "p"}); len(got) < 4; {
		c, err := a.changes(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		said := answer{len(c.Changes), c.LeftOut, "", c.Cursor, c.More}
		if len(c.Changes) > 0 {
			said.Last = c.Changes[len(c.Changes)-1].ID
		}
		got, in.Cursor = append(got, said), c.Cursor
	}
	want := []answer{{50, 150, "200", "20", true}, {50, 150, "400", "40", true}, {50, 0, "450", "45", false},
		{0, 0, "", "45", false}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got", diff)
	}
}
