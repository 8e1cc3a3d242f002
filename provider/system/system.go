// Package system is the pages on which administrators see how the server is:
// the keys that sign tokens and their calendar, the rate limits in use, and the
// state of its parts.
//
// It has no rules: it shows what the parts tell, and what they are is wired in
// cmd/portico/internal/app. Users, groups and the audit trail are package provider/people's,
// apps are provider/apps'. Start with New.
package system

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Key is a key that signs tokens, as people are told of it.
type Key struct {
	ID         string
	Algorithm  string
	State      string // next, active or former
	Generation int
	CreatedAt  time.Time // published since then
	KnownFrom  time.Time // when all who keep the published keys have it
	ActiveFrom time.Time
}

// Parts are what is looked at. Every field is needed.
type Parts struct {
	Keys   func(ctx context.Context) ([]Key, error) // by algorithm, each newest first
	Rotate func(ctx context.Context, act storage.Act, algorithm string, atOnce bool) error
	Limits *ratelimit.Limits // nil: off
	Rates  ratelimit.Rates
	Counts func(ctx context.Context, now time.Time) (storage.RecordCounts, error)
	Ping   func(ctx context.Context) error

	Version   string
	BaseURL   string
	Engine    string // of the database
	Mail      string // where mails go, in words
	StartedAt time.Time
}

// Options are what Desk is made of. Every field is needed.
type Options struct {
	Parts    Parts
	Ambient  *ambient.Source
	Sessions *websession.Manager
	Pages    *templates.Pages
	Web      *webpage.Writer
}

// Desk is the pages.
type Desk struct {
	with Options
	gate *websession.Gate
}

// New returns the pages.
func New(o Options) *Desk { return &Desk{with: o, gate: o.Sessions.Gate(o.Web.Error)} }

const (
	keysPath   = "/admin/keys"
	rotatePath = keysPath + "/rotate"
)

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	show := func(page websession.Page) httpio.Endpoint { return d.gate.Show(websession.Administrators(page)) }
	return []httpio.Route{
		httpio.At(keysPath).Get(show(d.keys)),
		httpio.At(rotatePath).Get(show(d.showRotate)).Post(d.gate.Form(websession.Administrators(d.rotate))),
		httpio.At("/admin/limits").Get(show(d.limits)),
		httpio.At("/admin/system").Get(show(d.system)),
	}
}

func desk(r *http.Request, v websession.Visit, section templates.Section) templates.Desk {
	view := templates.Desk{
		Frame:   webpage.Frame(r),
		Account: v.User.Email, Admin: v.User.Admin, Section: section,
	}
	if r.URL.Query().Get("done") == "rotated" {
		view.Done = texts.Own("The next key signs now, and another one is published.")
	}
	return view
}

// keys serves the page with the signing keys.
func (d *Desk) keys(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	keys, err := d.with.Parts.Keys(r.Context())
	if err != nil {
		return err
	}
	view := templates.KeysPage{Desk: desk(r, v, templates.SectionKeys)}
	for i, k := range keys {
		row := templates.KeyRow{ID: k.ID, Algorithm: k.Algorithm, State: texts.Own(k.State), Generation: k.Generation, Created: k.CreatedAt, From: k.ActiveFrom}
		if i > 0 && keys[i-1].Algorithm == k.Algorithm {
			row.Until = keys[i-1].ActiveFrom
		} else {
			row.RotateURL = rotateURL(k.Algorithm)
		}
		view.Keys = append(view.Keys, row)
	}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Keys(out, view) })
}

// mostUsed is how many buckets the page shows.
const mostUsed = 50

// limits serves the page with the rate limits in use.
func (d *Desk) limits(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	view := templates.LimitsPage{Desk: desk(r, v, templates.SectionLimits), On: d.with.Parts.Rates != nil}
	for _, class := range []ratelimit.Class{ratelimit.Authorize, ratelimit.Token, ratelimit.Introspect, ratelimit.Revoke, ratelimit.Logout} {
		text := "any number"
		if rate := d.with.Parts.Rates[class]; rate > 0 {
			text = fmt.Sprint(rate)
		}
		view.Rates = append(view.Rates, templates.Fact{Label: texts.Own(string(class)), Text: texts.Own(text)})
	}
	for _, u := range d.with.Parts.Limits.Usage(r.Context(), mostUsed) {
		view.Usage = append(view.Usage, templates.UsageRow{What: string(u.Class), Whose: u.Key, Used: u.Used, Limit: u.Limit})
	}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Limits(out, view) })
}

// system serves the page that shows how the server is.
func (d *Desk) system(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	p := d.with.Parts
	database := "answers"
	if err := p.Ping(r.Context()); err != nil {
		database = "does not answer"
	}
	now := d.with.Ambient.Now()
	counts, err := p.Counts(r.Context(), now)
	if err != nil {
		return err
	}
	view := templates.SystemPage{Desk: desk(r, v, templates.SectionSystem), Groups: []templates.FactGroup{
		{Heading: texts.Own("Server"), Facts: facts("Version", p.Version, "Base URL", p.BaseURL, "Running for", now.Sub(p.StartedAt).Round(time.Second).String(),
			"Database", p.Engine+", "+database, "Mail", p.Mail)},
		{Heading: texts.Own("What there is"), Facts: facts(
			"Users", fmt.Sprintf("%d, of them %d disabled", counts.Users, counts.DisabledUsers), "Administrators", fmt.Sprint(counts.Administrators),
			"Apps", fmt.Sprintf("%d, of them %d disabled", counts.Clients, counts.DisabledClients), "Service accounts", fmt.Sprint(counts.ServiceAccounts),
			"Sign-ins", fmt.Sprint(counts.Sessions), "Grants with a live refresh token", fmt.Sprint(counts.Grants),
			"Notices of ended sessions that wait", fmt.Sprint(counts.Deliveries), "Mails that wait", fmt.Sprint(counts.Mails))},
	}}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.System(out, view) })
}

func facts(pairs ...string) []templates.Fact {
	var all []templates.Fact
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, templates.Fact{Label: texts.Own(pairs[i]), Text: texts.Own(pairs[i+1])})
	}
	return all
}
