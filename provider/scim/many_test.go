package scim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/portico-id/portico/internal/harness/sqlitetest"
)

// Rule: SCIM-18
func TestWhoAsksTooOftenIsToldWhenToComeBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqlitetest.URL(t), 60)
	last := 0
	for range 100 {
		answer := w.ask("GET", "/Users?count=1", "")
		if last = answer.Code; last == http.StatusTooManyRequests {
			if answer.Header().Get("Retry-After") == "" || !strings.Contains(answer.Body.String(), `"status":"429"`) {
				t.Errorf("%v %s", answer.Header(), answer.Body)
			}
			break
		}
	}
	w.equal(http.StatusTooManyRequests, last)
	other := w.as(w.connect("Others"))
	other.do(http.StatusOK, "GET", "/Users?count=1", "")
}

// Rule: SCIM-18
func TestALargeGroupIsFilledAndEmptiedByOneCallEach(t *testing.T) {
	t.Parallel()
	people := 500
	if os.Getenv("PORTICO_SOAK_SCIM") != "" {
		people = 10_000
	}
	w := newWorld(t, sqlitetest.URL(t), 10_000_000)
	ids := make([]string, people)
	var all sync.WaitGroup
	for part := range 10 {
		all.Go(func() {
			for i := part; i < people; i += 10 {
				answer := w.ask("POST", "/Users", fmt.Sprintf(`{"userName":"person%d@works.test"}`, i))
				var made struct {
					ID string `json:"id"`
				}
				if err := json.Unmarshal(answer.Body.Bytes(), &made); err != nil || answer.Code != http.StatusCreated {
					t.Errorf("%d %s", answer.Code, answer.Body)
					return
				}
				ids[i] = made.ID
			}
		})
	}
	if all.Wait(); t.Failed() {
		return
	}
	var members strings.Builder
	for i, id := range ids {
		if i > 0 {
			members.WriteByte(',')
		}
		fmt.Fprintf(&members, `{"value":%q}`, id)
	}
	group := w.group("everybody")
	change := func(op string) string {
		return patch(`{"op":"` + op + `","path":"members","value":[` + members.String() + `]}`)
	}
	w.do(http.StatusNoContent, "PATCH", "/Groups/"+group, change("add"))
	w.equal(people, len(w.members(group)))
	w.do(http.StatusNoContent, "PATCH", "/Groups/"+group, change("remove"))
	w.equal(0, len(w.members(group)))
}
