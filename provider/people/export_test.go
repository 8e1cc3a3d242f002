package people_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// office is a desk at which an administrator sits.
type office struct {
	*house
	desk   *people.Desk
	cookie *http.Cookie
	began  time.Time
}

func newOffice(t *testing.T) *office {
	t.Helper()
	h := newHouse(t)
	pages, err := templates.New(h.ambient.Token)
	if err != nil {
		t.Fatal(err)
	}
	sessions := websession.New(websession.Options{Store: h.store.(websession.Store), Ambient: h.ambient})
	o := &office{house: h, began: h.ambient.Now(), desk: people.NewDesk(people.DeskOptions{
		People: h.people, Sessions: sessions, Pages: pages, Web: webpage.New(pages, slog.New(slog.DiscardHandler), nil),
	})}
	admin := h.create(t, people.Newcomer{Email: "admin@example.test", Name: "Admin", Admin: true})
	w := httptest.NewRecorder()
	if _, err := sessions.Start(w, httptest.NewRequest("POST", "/login", nil), admin, "", nil, h.act()); err != nil {
		t.Fatal(err)
	}
	o.cookie = w.Result().Cookies()[0]
	return o
}

// record adds an event of the kind "sample".
func (o *office) record(t *testing.T, subject, requestID string) {
	t.Helper()
	act := o.act()
	act.RequestID, act.Address = requestID, "192.0.2.1"
	event := storage.AuditEvent{Act: act, Kind: "sample", Subject: subject, Detail: `{"name":"a, \"b\""}`}
	if err := o.store.(storage.AuditStore).RecordAudit(t.Context(), event); err != nil {
		t.Fatal(err)
	}
}

func (o *office) ask(t *testing.T, format, query string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest("GET", "/admin/audit."+format+"?"+query, nil)
	r.AddCookie(o.cookie)
	w := httptest.NewRecorder()
	httpio.Router{Areas: []httpio.Area{{Routes: o.desk.AuditRoutes()}}}.Handler().ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

// Rule: ADMIN-19
func TestAnExportHoldsEveryEventThatFitsAndNoOther(t *testing.T) {
	o := newOffice(t)
	const events = 2*storage.MaxPage + 7
	for i := range events {
		o.record(t, fmt.Sprint("subject ", i), "r")
	}
	answer, body := o.ask(t, "csv", "kind=sample")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(rows) != events+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := []string{"at", "kind", "actor_kind", "actor_id", "subject", "detail", "request_id", "address"}
	if diff := cmp.Diff(want, rows[0][1:]); diff != "" {
		t.Errorf("the heads: -want +got:\n%s", diff)
	}
	want = []string{o.began.Format(time.RFC3339Nano), "sample", "operator", "", fmt.Sprint("subject ", events-1),
		`{"name":"a, \"b\""}`, "r", "192.0.2.1"}
	if diff := cmp.Diff(want, rows[1][1:]); diff != "" {
		t.Errorf("the newest comes first: -want +got:\n%s", diff)
	}
	for name, got := range map[string]string{"Cache-Control": "no-store",
		"Content-Disposition": "attachment; filename=audit.csv"} {
		if answer.Header.Get(name) != got {
			t.Errorf("%s: %s", name, answer.Header.Get(name))
		}
	}

	_, body = o.ask(t, "ndjson", "kind=sample")
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	var last struct {
		Subject string
		Detail  struct{ Name string }
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || len(lines) != events ||
		last.Subject != "subject 0" || last.Detail.Name != `a, "b"` {
		t.Errorf("%d lines, the last %+v, %v", len(lines), last, err)
	}

	for query, want := range map[string]int{"subject=subject+5": 1, "until=2025-03-01": 0,
		"kind=sample&since=2025-03-01&until=2025-03-02": events} {
		if _, body = o.ask(t, "ndjson", query); strings.Count(body, "\n") != want {
			t.Errorf("%s: %d lines, want %d", query, strings.Count(body, "\n"), want)
		}
	}
	if answer, _ := o.ask(t, "csv", "since=yesterday"); answer.StatusCode != http.StatusBadRequest ||
		answer.Header.Get("Content-Disposition") != "" {
		t.Errorf("a filter that can't be read: %d", answer.StatusCode)
	}
}

// Rule: ADMIN-19
func TestNoTextOfAnExportIsAFormula(t *testing.T) {
	o := newOffice(t)
	hostile := []string{`=HYPERLINK("https://x")`, "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx"}
	for _, text := range hostile {
		o.record(t, text, text)
	}
	o.record(t, "a=b", "a-b+c@d")
	_, body := o.ask(t, "csv", "kind=sample")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(rows) != len(hostile)+2 {
		t.Fatalf("%d rows, %v\n%s", len(rows), err, body)
	}
	if plain := rows[1]; plain[5] != "a=b" || plain[7] != "a-b+c@d" {
		t.Errorf("a plain text became %q, %q", plain[5], plain[7])
	}
	for _, row := range rows[2:] {
		if !strings.HasPrefix(row[5], "'") || !strings.HasPrefix(row[7], "'") {
			t.Errorf("%q, %q", row[5], row[7])
		}
	}
}
