package webpage

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Frame is what every page has around it that answers the request.
func Frame(r *http.Request) templates.Frame {
	exchange := httpio.From(r.Context())
	return templates.Frame{RequestID: exchange.RequestID, Lang: exchange.Languages.String(), Zone: Zone(r)}
}

// Desk returns what is around a page for whoever the request comes from. Done
// says what a form did, by the key that its answer has in the address.
func Desk(r *http.Request, section templates.Section, done map[string]texts.Text) templates.Desk {
	person := httpio.From(r.Context()).Person
	desk := templates.Desk{
		Frame: Frame(r), Person: person.ID, Account: person.Account, Admin: person.Admin, Section: section,
		Done: done[r.URL.Query().Get("done")],
	}
	if person.Parked != nil {
		desk.Refill = templates.Refill{Action: person.Parked.Action, Values: person.Parked.Values}
		desk.Done = texts.Say("parts.parked")
	}
	return desk
}

// Zone returns the time zone of whoever the request comes from, UTC when it is
// not known.
func Zone(r *http.Request) *time.Location {
	zone, err := time.LoadLocation(httpio.From(r.Context()).Person.Zone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// wayOn is where somebody goes on from a failure: a page that is there. Addresses
// that are no page's may hold what anybody sent, and don't come back in it.
func wayOn(r *http.Request, section templates.Section) templates.Link {
	person := httpio.From(r.Context()).Person
	switch {
	case person.ID == "" && section != "" && r.Method == http.MethodGet:
		return templates.Link{URL: "/login?then=" + url.QueryEscape(r.URL.RequestURI()),
			Text: texts.Say("errors.way.sign-in")}
	case person.ID == "":
		return templates.Link{URL: "/", Text: texts.Say("errors.way.first-page")}
	case section == templates.SectionApps:
		return templates.Link{URL: "/apps", Text: texts.Say("errors.way.apps")}
	case section == templates.SectionFiles:
		return templates.Link{URL: "/files", Text: texts.Say("errors.way.files")}
	}
	for _, tab := range (templates.Desk{}).Tabs() {
		if tab.Section == section && person.Admin {
			return templates.Link{URL: tab.URL, Text: texts.Say("errors.way.back", "To", tab.Text)}
		}
	}
	return templates.Link{URL: "/", Text: texts.Say("errors.way.account")}
}

// sectionOf is the part of the bar that an address lies in.
func sectionOf(r *http.Request) templates.Section {
	if strings.HasPrefix(r.URL.Path, "/apps") {
		return templates.SectionApps
	}
	if strings.HasPrefix(r.URL.Path, "/files") {
		return templates.SectionFiles
	}
	for _, tab := range (templates.Desk{}).Tabs() {
		if strings.HasPrefix(r.URL.Path, tab.URL) {
			return tab.Section
		}
	}
	return ""
}
