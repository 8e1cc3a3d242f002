package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/harness/clamtest"
	"github.com/portico-id/portico/storage"
)

// fetch asks for the bytes of a cargo.
func (q *quay) fetch(c *cargo, more string) answer {
	q.Helper()
	r, err := http.NewRequest(http.MethodGet, q.URL+c.path+more, nil)
	q.must(err)
	r.Header.Set("Authorization", "Bearer "+q.token)
	got, err := try(q.plain, r)
	q.must(err)
	return got
}

// settled asks until the scanner has looked.
func (q *quay) settled(c *cargo, pending int) answer {
	q.Helper()
	limit := time.After(patience)
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		got := q.fetch(c, "")
		if got.Status != pending {
			tick.Stop()
			return got
		}
		select {
		case <-limit:
			q.Fatalf("still %d %s", got.Status, got.Body)
		default:
		}
	}
}

// bring uploads bytes, and makes no item of them.
func (q *quay) bring(name string, body []byte) *cargo {
	q.Helper()
	c := q.reserve(name)
	q.put(c, "1", body)
	q.insist(http.MethodPost, c.path+"/signeds3upload", http.StatusOK, object{"uploadKey": c.uploadKey})
	return c
}

// refused checks that nobody gets the bytes, whichever way they ask.
func (q *quay) refused(c *cargo) {
	q.Helper()
	for _, more := range []string{"", "/signeds3download"} {
		got := q.fetch(c, more)
		var failure struct{ Reason, Code string }
		q.must(json.Unmarshal([]byte(got.Body), &failure))
		want := "The virus scanner has found " + clamtest.Finding +
			" in this file, so nobody gets it. Tell an administrator if that is a mistake."
		if got.Status != http.StatusForbidden || failure.Code != storage.ReasonInfected || failure.Reason != want {
			q.Errorf("%s: %d %s", more, got.Status, got.Body)
		}
	}
	got, _ := q.insist(http.MethodPost, q.all("items"), http.StatusForbidden, itemOf(q, c, "infected.bin"))
	if !strings.Contains(got.Body, `"INFECTED"`) ||
		!strings.Contains(got.Body, "/included/0/relationships/storage/data/id") {
		q.Errorf("an item of it: %s", got.Body)
	}
}

func itemOf(q *quay, c *cargo, name string) object {
	return object{
		"data": object{
			"type": "items", "attributes": object{"displayName": name},
			"relationships": object{"tip": leads("versions", "1"), "parent": leads("folders", folderURN(q.files))},
		},
		"included": []any{object{
			"type": "versions", "id": "1", "attributes": object{"name": name},
			"relationships": object{"storage": leads("objects", c.urn)},
		}},
	}
}

// Rule: OBJ-52
func TestAFileWithAVirusIsGivenToNobodyAndToldToAdministrators(t *testing.T) {
	t.Parallel()
	scanner := "ANTIVIRUS=unix://" + clamtest.Start(t)
	eachPlaceWith(t, []string{scanner}, func(t *testing.T, q *quay) {
		clean := q.bring("clean.txt", []byte("harmless"))
		bad := q.bring("infected.txt", clamtest.Text())
		if got := q.settled(clean, http.StatusLocked); got.Status != http.StatusOK || got.Body != "harmless" {
			t.Errorf("clean bytes: %d %s", got.Status, got.Body)
		}
		if got := q.settled(bad, http.StatusLocked); got.Status != http.StatusForbidden {
			t.Errorf("infected bytes: %d", got.Status)
		}
		q.refused(bad)
		row, err := q.record(bad)
		q.must(err)
		if kinds := q.told(row.Bucket + "/" + row.Key); len(kinds) != 3 || kinds[0] != storage.EventObjectInfected {
			t.Errorf("events: %v", kinds)
		}
		audited, _, err := q.store.ListAudit(t.Context(), storage.AuditFilter{Kind: storage.EventObjectInfected},
			storage.PageRequest{})
		q.must(err)
		if len(audited) != 1 || audited[0].Subject != row.Bucket+"/"+row.Key ||
			!strings.Contains(audited[0].Detail, clamtest.Finding) {
			t.Errorf("audited: %+v", audited)
		}
		var listed struct {
			Infected []struct{ Name, Key, Finding, Project string }
		}
		q.commandJSON(&listed, "", "infected")
		if len(listed.Infected) != 1 || listed.Infected[0].Name != "infected.txt" ||
			listed.Infected[0].Finding != clamtest.Finding || listed.Infected[0].Project != q.project {
			t.Errorf("listed: %+v", listed)
		}
		if text := q.command("", "infected"); !strings.Contains(text, "infected.txt") {
			t.Error(text)
		}
	})
}

// gate is a scanner that says what it has found when it is let.
func gate(t *testing.T) (address string, say chan<- string) {
	verdicts := make(chan string, 1)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case verdict := <-verdicts:
			_, _ = io.WriteString(w, verdict)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(service.Close)
	return service.URL, verdicts
}

// Rule: OBJ-53
func TestAFileThatWasNotScannedYetIsWaitedForOrServedMeanwhile(t *testing.T) {
	t.Parallel()
	for mode, status := range map[string]int{"block": http.StatusLocked, "serve": http.StatusOK} {
		t.Run(mode, func(t *testing.T) {
			address, say := gate(t)
			q := newQuay(t, sqliteURL(t), false, "ANTIVIRUS="+address, "ANTIVIRUS_MODE="+mode)
			c := q.bring("file.txt", []byte("harmless"))
			got, signed := q.fetch(c, ""), q.fetch(c, "/signeds3download")
			if got.Status != status || signed.Status != status {
				t.Errorf("not scanned yet: %d and %d", got.Status, signed.Status)
			}
			if mode == "block" && (got.Header.Get("Retry-After") != "2" ||
				!strings.Contains(got.Body, storage.ReasonScanPending)) {
				t.Errorf("%v %s", got.Header, got.Body)
			}
			q.insist(http.MethodPost, q.all("items"), http.StatusCreated, itemOf(q, c, "file.txt"))
			if mode == "block" {
				say <- `{"infected":false}`
				if got := q.settled(c, status); got.Status != http.StatusOK || got.Body != "harmless" {
					t.Errorf("clean: %d %s", got.Status, got.Body)
				}
				return
			}
			var where struct{ URL string }
			q.must(json.Unmarshal([]byte(signed.Body), &where))
			say <- `{"infected":true,"finding":"X"}`
			if got := q.settled(c, status); got.Status != http.StatusForbidden {
				t.Errorf("infected: %d %s", got.Status, got.Body)
			}
			before, err := url.Parse(where.URL)
			q.must(err)
			r, err := http.NewRequest(http.MethodGet, q.URL+before.EscapedPath(), nil)
			q.must(err)
			if got, err := try(q.plain, r); err != nil || got.Status != http.StatusForbidden {
				t.Errorf("infected, at an address from before: %d %s, %v", got.Status, got.Body, err)
			}
		})
	}
}
