package people

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// ParseAuditFilter reads the parameters kind, subject, actor, since and until.
// Times are days in the zone (2026-03-04) or instants (RFC 3339); until is the
// first moment that is not in it. The error is a fault.List.
func ParseAuditFilter(query url.Values, zone *time.Location) (storage.AuditFilter, error) {
	filter := storage.AuditFilter{Kind: trimmed(query.Get("kind")), Subject: trimmed(query.Get("subject")),
		ActorID: trimmed(query.Get("actor"))}
	var faults fault.List
	for _, bound := range []struct {
		name string
		at   *time.Time
	}{{"since", &filter.Since}, {"until", &filter.Until}} {
		text := trimmed(query.Get(bound.name))
		if text == "" {
			continue
		}
		t, err := time.ParseInLocation(time.DateOnly, text, zone)
		if err != nil {
			t, err = time.Parse(time.RFC3339, text)
		}
		if err != nil {
			faults.Add(fault.Newf(fault.Invalid, ReasonField,
				"%s must be a day such as 2026-03-04, or an instant such as 2026-03-04T05:06:07Z.", bound.name).At(bound.name))
		}
		*bound.at = t.UTC()
	}
	return filter, faults.Err()
}

// audit serves the page with the audit trail.
func (d *Desk) audit(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	list, err := webpage.ListOf(r)
	if err != nil {
		return err
	}
	query := list.Values
	view := templates.AuditPage{Desk: desk(r, templates.SectionAudit), Filter: filterInputs(query)}
	filter, err := ParseAuditFilter(query, webpage.Zone(r))
	if err != nil {
		view.Problem = webpage.Detail(fault.From(err))
		return d.send(w, http.StatusUnprocessableEntity, func(out io.Writer) error { return d.with.Pages.Audit(out, view) })
	}
	events, next, err := d.people.Audit(r.Context(), filter, pageOf(list))
	if list.Strays(len(events), err) {
		return list.Begin(w, r)
	}
	if err != nil {
		return err
	}
	called, err := d.people.calledIn(r.Context(), events)
	if err != nil {
		return err
	}
	for _, e := range events {
		view.Events = append(view.Events, templates.AuditRow{
			URL: eventPath(e.ID),
			At:  e.Act.At, Kind: e.Kind, ActorKind: string(e.Act.Actor.Kind),
			Actor: called.name(e.Act.Actor.ID), Subject: called.name(e.Subject),
			Detail: e.Detail, Address: e.Act.Address, RequestID: e.Act.RequestID,
		})
	}
	view.Pager = list.Pager("", next)
	view.CSVURL, view.NDJSONURL = auditPath+".csv?"+query.Encode(), auditPath+".ndjson?"+query.Encode()
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Audit(out, view) })
}

func eventPath(id int64) string { return auditPath + "/" + strconv.FormatInt(id, 10) }

// event serves the page of one event, whose address can be handed on. For
// everybody but administrators there is no such event, whatever its number.
func (d *Desk) event(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if !v.User.Admin {
		return noEvent()
	}
	e, err := httpio.Named(r, eventVariable, d.people.AuditEvent)
	if err != nil {
		return err
	}
	called, err := d.people.calledIn(r.Context(), []storage.AuditEvent{e})
	if err != nil {
		return err
	}
	view := templates.EventPage{
		Desk: desk(r, templates.SectionAudit), Back: templates.Link{URL: auditPath, Text: texts.Say("desk.tab.audit")},
		Kind: e.Kind, At: e.Act.At, Facts: eventFacts(e, called),
		SubjectURL: auditPath + "?" + url.Values{"subject": {e.Subject}}.Encode(),
	}
	if e.Act.Actor.ID != "" {
		view.ActorURL = auditPath + "?" + url.Values{"actor": {e.Act.Actor.ID}}.Encode()
	}
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Event(out, view) })
}

// eventFacts are what is known of an event, without what is not.
func eventFacts(e storage.AuditEvent, called called) []templates.Fact {
	var facts []templates.Fact
	for _, f := range []templates.Fact{
		{Label: texts.Say("people.audit.who"), Text: texts.Own(trimmed(string(e.Act.Actor.Kind) + " " + e.Act.Actor.ID))},
		{Label: texts.Say("people.audit.who-name"), Text: texts.Own(called.name(e.Act.Actor.ID).Name)},
		{Label: texts.Say("people.audit.about"), Text: texts.Own(e.Subject), Code: true},
		{Label: texts.Say("people.audit.about-name"), Text: texts.Own(called.name(e.Subject).Name)},
		{Label: texts.Say("people.audit.detail"), Text: texts.Own(e.Detail), Code: true},
		{Label: texts.Say("people.audit.from"), Text: texts.Own(e.Act.Address)},
		{Label: texts.Say("parts.request-id"), Text: texts.Own(e.Act.RequestID), Code: true},
		{Label: texts.Say("people.audit.event-id"), Text: texts.Own(strconv.FormatInt(e.ID, 10)), Code: true},
	} {
		if !f.Text.Empty() {
			facts = append(facts, f)
		}
	}
	return facts
}

func filterInputs(query url.Values) []templates.Input {
	return []templates.Input{
		{Name: "kind", Label: texts.Say("people.audit.what"), Value: query.Get("kind"), Hint: texts.Own("user.disabled"),
			Options: kindOptions()},
		{Name: "actor", Label: texts.Say("people.audit.who"), Value: query.Get("actor"),
			Hint: texts.Say("people.audit.any-id")},
		{Name: "subject", Label: texts.Say("people.audit.about"), Value: query.Get("subject"),
			Hint: texts.Say("people.audit.any-id")},
		{Name: "since", Label: texts.Say("people.audit.since"), Value: query.Get("since"), Hint: texts.Own("2026-03-04")},
		{Name: "until", Label: texts.Say("people.audit.until"), Value: query.Get("until"), Hint: texts.Own("2026-03-05")},
	}
}

// EventJSON is an event of the audit trail in exports, in the API and on the command
// line.
type EventJSON struct {
	ID        int64           `json:"id"`
	At        time.Time       `json:"at"`
	Kind      string          `json:"kind"`
	ActorKind string          `json:"actor_kind"`
	ActorID   string          `json:"actor_id"`
	Subject   string          `json:"subject"`
	Detail    json.RawMessage `json:"detail,omitempty"`
	RequestID string          `json:"request_id"`
	Address   string          `json:"address"`
}

// NewEventJSON tells of an event.
func NewEventJSON(e storage.AuditEvent) EventJSON {
	return EventJSON{
		ID: e.ID, At: e.Act.At, Kind: e.Kind, ActorKind: string(e.Act.Actor.Kind), ActorID: e.Act.Actor.ID,
		Subject: e.Subject, Detail: json.RawMessage(e.Detail), RequestID: e.Act.RequestID, Address: e.Act.Address,
	}
}

// openCSV writes events as a table.
func openCSV(out io.Writer) (func(storage.AuditEvent) error, func() error) {
	table := csv.NewWriter(out)
	err := table.Write([]string{"id", "at", "kind", "actor_kind", "actor_id", "subject", "detail",
		"request_id", "address"})
	return func(e storage.AuditEvent) error {
			if err != nil {
				return err
			}
			return table.Write([]string{
				strconv.FormatInt(e.ID, 10), e.Act.At.Format(time.RFC3339Nano), cell(e.Kind),
				cell(string(e.Act.Actor.Kind)), cell(e.Act.Actor.ID),
				cell(e.Subject), cell(e.Detail), cell(e.Act.RequestID), cell(e.Act.Address),
			})
		}, func() error {
			table.Flush()
			return table.Error()
		}
}

// cell keeps a spreadsheet from taking a text for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// openNDJSON writes events as one JSON object a line.
func openNDJSON(out io.Writer) (func(storage.AuditEvent) error, func() error) {
	encoder := json.NewEncoder(out)
	return func(e storage.AuditEvent) error { return encoder.Encode(NewEventJSON(e)) }, func() error { return nil }
}

// export writes every event that fits, page after page, as it reads them: it
// is never held as a whole.
func (d *Desk) export(contentType, name string,
	open func(io.Writer) (write func(storage.AuditEvent) error, end func() error)) httpio.Endpoint {
	return d.admins.Show(func(w http.ResponseWriter, r *http.Request, _ websession.Visit) error {
		query, err := httpio.ReadQuery(r)
		if err != nil {
			return err
		}
		filter, err := ParseAuditFilter(query, webpage.Zone(r))
		if err != nil {
			return err
		}
		page := storage.PageRequest{After: query.Get("after")}
		events, next, err := d.people.Audit(r.Context(), filter, page)
		if err != nil {
			return err
		}
		webpage.Download(w, contentType, name)
		write, end := open(httpio.Piecemeal(w, d.people.ambient.Now))
		for {
			for _, e := range events {
				if write(e) != nil {
					return nil // nobody is there any more
				}
			}
			if next == "" {
				_ = end()
				return nil
			}
			page.After = next
			if events, next, err = d.people.Audit(r.Context(), filter, page); err != nil {
				panic(http.ErrAbortHandler) // a cut answer must not look like a whole one
			}
		}
	})
}
