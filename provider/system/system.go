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
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/usage"
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
	Keys    func(ctx context.Context) ([]Key, error) // by algorithm, each newest first
	Rotate  func(ctx context.Context, act storage.Act, algorithm string, atOnce bool) error
	Limits  *ratelimit.Limits // nil: off
	Rates   ratelimit.Rates
	Counts  func(ctx context.Context, now time.Time) (storage.RecordCounts, error)
	Ping    func(ctx context.Context) error
	Backlog func(ctx context.Context) (Backlog, error)
	Usage   usage.Records

	Version      string
	BaseURL      string
	Engine       string            // of the database
	Mail         texts.Text        // where mails go, in words
	SecondFactor func() texts.Text // of whom one is demanded, in words
	StartedAt    time.Time
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
func New(o Options) *Desk { return &Desk{with: o, gate: o.Sessions.Gate(o.Web.Error).Administrators()} }

const (
	keysPath   = "/admin/keys"
	rotatePath = keysPath + "/rotate"
	systemPath = "/admin/system"
)

// fieldAtOnce lets a key sign that not everybody may have; fieldAlgorithm says
// whose next key is meant.
const (
	fieldAtOnce    = "at_once"
	fieldAlgorithm = "alg"
)

func rotateURL(algorithm string) string {
	return rotatePath + "?" + fieldAlgorithm + "=" + url.QueryEscape(algorithm)
}

// Routes are the pages.
func (d *Desk) Routes() []httpio.Route {
	return []httpio.Route{
		httpio.At(keysPath).Get(d.gate.Show(d.keys)),
		d.gate.Grave(httpio.At(rotatePath), d.showRotate, d.rotate),
		httpio.At("/admin/limits").Get(d.gate.Show(d.limits)),
		httpio.At(systemPath).Get(d.gate.Show(d.system)),
	}
}

// done says what a form did, when the next page is asked with its key.
var done = map[string]texts.Text{"rotated": texts.Say("system.rotate.done")}

func desk(r *http.Request, section templates.Section) templates.Desk {
	return webpage.Desk(r, section, done)
}

// keys serves the page with the signing keys.
func (d *Desk) keys(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	keys, err := d.with.Parts.Keys(r.Context())
	if err != nil {
		return err
	}
	view := templates.KeysPage{Desk: desk(r, templates.SectionKeys)}
	for i, k := range keys {
		row := templates.KeyRow{ID: k.ID, Algorithm: k.Algorithm, State: keyStates[k.State], Generation: k.Generation,
			Created: k.CreatedAt, From: k.ActiveFrom}
		if i > 0 && keys[i-1].Algorithm == k.Algorithm {
			row.Until = keys[i-1].ActiveFrom
		} else {
			row.RotateURL = rotateURL(k.Algorithm)
		}
		view.Keys = append(view.Keys, row)
	}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Keys(out, view) })
}

// keyStates are what the states of keys are called.
var keyStates = map[string]texts.Text{
	"next":   texts.Say("system.keys.next"),
	"active": texts.Say("system.keys.active"),
	"former": texts.Say("system.keys.former"),
}

// mostUsed is how many buckets the page shows.
const mostUsed = 50

// limits serves the page with the rate limits in use.
func (d *Desk) limits(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	view := templates.LimitsPage{Desk: desk(r, templates.SectionLimits), On: d.with.Parts.Rates != nil}
	for _, class := range []ratelimit.Class{ratelimit.Authorize, ratelimit.Token, ratelimit.Introspect, ratelimit.Revoke,
		ratelimit.Logout, ratelimit.Accounts, ratelimit.Apps, ratelimit.Register, ratelimit.SCIM} {
		text := texts.Say("system.limits.any")
		if rate := d.with.Parts.Rates[class]; rate > 0 {
			text = texts.Value(rate)
		}
		view.Rates = append(view.Rates, templates.Fact{Label: texts.Own(string(class)), Text: text})
	}
	for _, u := range d.with.Parts.Limits.Usage(r.Context(), mostUsed) {
		view.Usage = append(view.Usage, templates.UsageRow{What: string(u.Class), Whose: u.Key, Used: u.Used, Limit: u.Limit})
	}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Limits(out, view) })
}

// system serves the page that shows how the server is.
func (d *Desk) system(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	p := d.with.Parts
	database := texts.Say("system.database-answers", "Engine", p.Engine)
	if err := p.Ping(r.Context()); err != nil {
		database = texts.Say("system.database-silent", "Engine", p.Engine)
	}
	now := d.with.Ambient.Now()
	counts, err := p.Counts(r.Context(), now)
	if err != nil {
		return err
	}
	waiting, err := p.Backlog(r.Context())
	if err != nil {
		return err
	}
	used, err := p.Usage.Part(r, "", systemPath)
	if err != nil {
		return err
	}
	view := templates.SystemPage{Usage: used, Desk: desk(r, templates.SectionSystem), Groups: []templates.FactGroup{
		{Heading: texts.Say("system.server"), Facts: []templates.Fact{
			{Label: texts.Say("system.version"), Text: texts.Own(p.Version)},
			{Label: texts.Say("system.base-url"), Text: texts.Own(p.BaseURL)},
			{Label: texts.Say("system.running"), Text: texts.Value(p.StartedAt)},
			{Label: texts.Say("system.database"), Text: database},
			{Label: texts.Say("system.mail"), Text: p.Mail},
			{Label: texts.Say("system.factor"), Text: p.SecondFactor()},
		}},
		{Heading: texts.Say("system.content"), Facts: []templates.Fact{
			{Label: texts.Say("system.users"), Text: texts.Say("system.with-disabled", "All", counts.Users, "Disabled",
				counts.DisabledUsers)},
			{Label: texts.Say("system.administrators"), Text: texts.Value(counts.Administrators)},
			{Label: texts.Say("system.apps"), Text: texts.Say("system.with-disabled", "All", counts.Clients, "Disabled",
				counts.DisabledClients)},
			{Label: texts.Say("system.machines"), Text: texts.Value(counts.ServiceAccounts)},
			{Label: texts.Say("system.sessions"), Text: texts.Value(counts.Sessions)},
			{Label: texts.Say("system.grants"), Text: texts.Value(counts.Grants)},
		}},
		{Heading: texts.Say("system.waiting"), Facts: facts(waiting)},
	}}
	return d.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.System(out, view) })
}
