package scim_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// Rule: SCIM-18
func TestWhoAsksTooOftenIsToldWhenToComeBack(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(w *world) {
		passed := func(seconds, perSecond int) (n int) {
			for range seconds * perSecond {
				w.ahead.Add(int64(time.Second) / int64(perSecond))
				answer := w.ask("GET", "/Users?count=1", "")
				if answer.Code == http.StatusTooManyRequests {
					if answer.Header().Get("Retry-After") == "" || !strings.Contains(answer.Body.String(), `"status":"429"`) {
						w.Errorf("%v %s", answer.Header(), answer.Body)
					}
					return n
				}
				w.equal(http.StatusOK, answer.Code)
				n++
			}
			return n
		}
		w.equal(61*25, passed(61, 25)) // Entra's floor, for longer than the limit looks back
		if n := passed(60, 100); n < 1500 || n > 3000 {
			w.Errorf("of 6000 calls in a minute %d pass", n)
		}
		other := w.as(w.connect("Others"))
		other.do(http.StatusOK, "GET", "/Users?count=1", "")
		w.ahead.Add(int64(time.Minute))
		w.do(http.StatusOK, "GET", "/Users?count=1", "")
	})
}

// Rule: SCIM-18
func TestALargeGroupIsFilledAndEmptiedByOneCallEach(t *testing.T) {
	t.Parallel()
	people := 500
	if os.Getenv("PORTICO_SOAK_SCIM") != "" {
		people = 10_000
	}
	atRate(t, 10_000_000, func(w *world) {
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
						w.Errorf("%d %s", answer.Code, answer.Body)
						return
					}
					ids[i] = made.ID
				}
			})
		}
		if all.Wait(); w.Failed() {
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
	})
}

// Each that comes is compared with each that is there, while nobody else writes.
//
// Rule: SCIM-18
func TestNobodyHasAListOfManyThousands(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(w *world) {
		values := func(from, n int) string {
			all := make([]string, n)
			for i := range all {
				all[i] = fmt.Sprintf(`{"value":"%d"}`, from+i)
			}
			return "[" + strings.Join(all, ",") + "]"
		}
		add := func(from, n int) string {
			return `{"op":"add","path":"phoneNumbers","value":` + values(from, n) + `}`
		}
		parts := func(n int) string {
			all := make([]string, n)
			for i := range all {
				all[i] = fmt.Sprintf(`"phoneNumbers[value ne \"x%d\"].type":"work"`, i)
			}
			return strings.Join(all, ",")
		}
		id := w.user("anna")
		for _, body := range []string{patch(add(0, 501)), patch(add(0, 400) + "," + add(400, 101)),
			patch(add(0, 500) + `,{"op":"add","path":"phoneNumbers[type eq \"fax\"].value","value":"0"}`),
			patch(add(0, 500) + "," + add(0, 500) + "," + add(0, 1)), patch(`{"op":"replace","value":{` + parts(1001) + `}}`),
			patch(`{"op":"replace","value":{` + parts(600) + `}},{"op":"add","value":{` + parts(600) + `}}`),
			patch(strings.Repeat(`{"op":"remove","path":"phoneNumbers[`+strings.Repeat("a pr or ", 99)+`a pr]"},`, 10) +
				`{"op":"remove","path":"phoneNumbers[a pr]"}`)} {
			w.do(http.StatusBadRequest, "PATCH", "/Users/"+id, body)
		}
		for _, list := range []string{"emails", "phoneNumbers", "addresses"} {
			said := values(0, 501)
			if list == "addresses" {
				said = strings.ReplaceAll(said, "value", "region")
			}
			w.do(http.StatusBadRequest, "PUT", "/Users/"+id, `{"userName":"anna@works.test","`+list+`":`+said+`}`)
		}
		told := w.do(http.StatusOK, "PATCH", "/Users/"+id, patch(add(0, 250)+","+add(250, 250)+","+add(0, 500)))
		w.equal(500, len(told["phoneNumbers"].([]any)))
		w.do(http.StatusOK, "PATCH", "/Users/"+id, patch(`{"op":"replace","value":{`+parts(1000)+`}}`))
	})
}
