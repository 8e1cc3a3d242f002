package accounts

import (
	"io"
	"net/http"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	eventsPath  = "/account/events"
	dataPath    = "/account/data"
	archivePath = dataPath + "/archive.zip"
	leavePath   = "/account/delete"
	leftPath    = "/account/deleted"

	// eventsShown fit on a page that loads at once.
	eventsShown = 50
)

// OwnRoutes are the pages about the account itself.
func (p *Pages) OwnRoutes() []httpio.Route {
	return []httpio.Route{
		httpio.At(eventsPath).Get(p.gate.Show(p.events)),
		httpio.At(dataPath).Get(p.gate.Show(p.data)),
		httpio.At(archivePath).Get(p.gate.ShowAgain(p.archive)),
		p.goneBefore(p.gate.Grave(httpio.At(leavePath), p.askLeave, p.leave)),
		httpio.At(leftPath).Get(httpio.Open(p.with.Web.Error, p.left)),
	}
}

// events serves what happened to the visitor's account.
func (p *Pages) events(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return err
	}
	events, next, err := p.with.Accounts.Events(r.Context(), v.UserID,
		storage.PageRequest{After: query.Get("after"), Limit: eventsShown})
	if err != nil {
		return err
	}
	page := templates.OwnEventsPage{Desk: desk(r), Back: home()}
	if next != "" {
		page.NextURL = eventsPath + "?after=" + next
	}
	for _, e := range events {
		page.Events = append(page.Events, templates.OwnEventRow{
			At: e.At, What: words(e), By: byWords[e.By], Address: e.Address,
		})
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.OwnEvents(out, page) })
}

var byWords = map[string]texts.Text{
	byAdministrator: texts.Say("own.event.by-administrator"), byServer: texts.Say("own.event.by-server"),
}

// words say what happened, with the name of the app that it is about.
func words(e Event) texts.Text {
	said := eventWords[e.Kind]
	if e.AppID == "" {
		return said
	}
	if e.AppName == "" {
		return texts.Say("own.event.of-app", "What", said, "App", texts.Say("own.event.app-gone"))
	}
	return texts.Say("own.event.of-app", "What", said, "App", e.AppName)
}

// data serves the page from which the visitor takes what there is of them.
func (p *Pages) data(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	page := templates.OwnDataPage{Desk: desk(r), Back: home(), ArchiveURL: archivePath}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.OwnData(out, page) })
}

func (p *Pages) archive(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return p.with.Accounts.serveArchive(w, r, v.User)
}

// serveArchive answers with the archive of the user.
func (a *Accounts) serveArchive(w http.ResponseWriter, r *http.Request, user storage.User) error {
	webpage.Download(w, "application/zip", "account-"+a.with.Ambient.Now().Format(time.DateOnly)+".zip")
	out := httpio.Piecemeal(w, a.with.Ambient.Now)
	if err := a.Archive(r.Context(), out, user); err != nil {
		panic(http.ErrAbortHandler) // a cut answer must not look like a whole one
	}
	return nil
}

// askLeave says what goes with the account, and what doesn't.
func (p *Pages) askLeave(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	l, err := p.with.Accounts.Leaving(r.Context(), v.User)
	if err != nil {
		return err
	}
	page := templates.LeavePage{
		Desk: desk(r), Back: home(), DataURL: dataPath, CancelURL: "/",
		Directory: l.Directory, LastAdmin: l.LastAdmin,
	}
	for _, c := range l.Apps {
		page.Apps = append(page.Apps, templates.Link{URL: "/apps/" + c.ID, Text: texts.Own(c.Name)})
	}
	for _, heir := range l.Heirs {
		page.Heirs = append(page.Heirs, texts.Say("own.leave.heir", "Name", heir.Name, "App", heir.App.Name))
	}
	if !l.Blocked() {
		page.Action = leavePath
	}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Leave(out, page) })
}

// goneBefore leads whoever sends a form of an account that is gone, as by a second
// click, to where the first led: their sign-in went with the account. In no other browser
// than theirs, which would tell anybody who has an account here.
func (p *Pages) goneBefore(route httpio.Route) httpio.Route {
	form := route.Methods[http.MethodPost]
	next := form.Handler
	form.Handler = httpio.Handle(p.with.Web.Error, func(w http.ResponseWriter, r *http.Request) error {
		shownTo := r.URL.Query().Get(websession.FormPerson)
		if p.with.Sessions.KnownBrowser(r, shownTo) != "" {
			_, err := p.with.Accounts.with.Store.FindUser(r.Context(), shownTo)
			if fault.Is(err, fault.NotFound) {
				return webpage.See(w, r, leftPath)
			}
		}
		next.ServeHTTP(w, r)
		return nil
	})
	return route.Post(form)
}

func (p *Pages) leave(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	if err := p.with.Accounts.Leave(r.Context(), v.Act, v.User); err != nil {
		return err
	}
	p.with.Sessions.Clear(w)
	return webpage.See(w, r, leftPath)
}

// left says to nobody in particular that an account is gone.
func (p *Pages) left(w http.ResponseWriter, r *http.Request) error {
	page := templates.MessagePage{Frame: webpage.Frame(r), Heading: texts.Say("own.leave.done"),
		Text: texts.Say("own.leave.done-text")}
	return p.with.Web.Send(w, http.StatusOK, func(out io.Writer) error { return p.with.Pages.Message(out, page) })
}
