package people

import (
	"context"
	"io"
	"net/http"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// userAct is something grave that an administrator does with a user: asked about
// once, then done.
type userAct struct {
	path     string // below the user's
	question func(name string) texts.Text
	stops    []texts.Text
	submit   texts.Text
	done     string // key of the notice
	others   bool   // nobody does it with themselves
	do       func(ctx context.Context, act storage.Act, u storage.User) error
}

func (d *Desk) act(a userAct) httpio.Route {
	return d.admins.Grave(httpio.At(usersPath+"/{userId}"+a.path),
		d.ofUser(func(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
			if err := a.fits(v, u); err != nil {
				return err
			}
			view := templates.ConfirmPage{
				Desk: desk(r, templates.SectionUsers), Back: templates.Link{URL: userPath(u.ID), Text: texts.Own(u.Title())},
				Heading: a.question(u.Title()), Stops: a.stops,
				Action: userPath(u.ID) + a.path, Submit: a.submit, CancelURL: userPath(u.ID),
			}
			return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
		}), d.ofUser(func(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
			if err := a.fits(v, u); err != nil {
				return err
			}
			if err := a.do(r.Context(), v.Act, u); err != nil {
				return err
			}
			if a.done == "deleted" {
				return webpage.See(w, r, usersPath+"?done="+a.done)
			}
			return webpage.See(w, r, userPath(u.ID)+"?done="+a.done)
		}))
}

func (a userAct) fits(v websession.Visit, u storage.User) error {
	if a.others && u.ID == v.UserID {
		return fault.New(fault.Conflict, "yourself",
			"You can’t do this with your own account here: ask another administrator.")
	}
	return nil
}

// deletes: a user is deleted.
func (d *Desk) deletes() userAct {
	return userAct{
		path:     "/delete",
		question: func(name string) texts.Text { return texts.Say("parts.delete-named", "Name", name) },
		submit:   texts.Say("people.delete"), done: "deleted", others: true,
		stops: []texts.Text{texts.Say("people.delete-stops.sign-in"), texts.Say("people.delete-stops.apps"),
			texts.Say("people.delete-stops.instead")},
		do: func(ctx context.Context, act storage.Act, u storage.User) error {
			return d.people.Delete(ctx, act, u, false)
		},
	}
}

// disables: a user is disabled.
func (d *Desk) disables() userAct {
	return userAct{
		path:     "/disable",
		question: func(name string) texts.Text { return texts.Say("parts.disable-named", "Name", name) },
		submit:   texts.Say("parts.disable"), done: "disabled", others: true,
		stops: []texts.Text{texts.Say("people.disable-stops.sign-in"), texts.Say("people.disable-stops.again")},
		do: func(ctx context.Context, act storage.Act, u storage.User) error {
			return d.people.Disable(ctx, act, u, false)
		},
	}
}

// endsSessions: a user is signed out everywhere.
func (d *Desk) endsSessions() userAct {
	return userAct{
		path:     "/end-sessions",
		question: func(name string) texts.Text { return texts.Say("people.end-sessions", "Name", name) },
		submit:   texts.Say("people.sign-out-everywhere"), done: "ended",
		stops: []texts.Text{texts.Say("people.end-sessions-stops.tokens"), texts.Say("people.end-sessions-stops.again")},
		do: func(ctx context.Context, act storage.Act, u storage.User) error {
			return d.people.EndSessions(ctx, act, u.ID)
		},
	}
}

// promotes: a user becomes an administrator.
func (d *Desk) promotes() userAct {
	return userAct{
		path:     "/promote",
		question: func(name string) texts.Text { return texts.Say("people.promote", "Name", name) },
		submit:   texts.Say("people.make-administrator"), done: "promoted", do: d.role(true),
		stops: []texts.Text{texts.Say("people.promote-stops")},
	}
}

// demotes: a user stops being one.
func (d *Desk) demotes() userAct {
	return userAct{
		path:     "/demote",
		question: func(name string) texts.Text { return texts.Say("people.demote", "Name", name) },
		submit:   texts.Say("people.take-administrator"), done: "demoted", do: d.role(false), others: true,
		stops: []texts.Text{texts.Say("people.demote-stops")},
	}
}

func (d *Desk) role(admin bool) func(ctx context.Context, act storage.Act, u storage.User) error {
	return func(ctx context.Context, act storage.Act, u storage.User) error {
		_, err := d.people.Update(ctx, act, u.ID, Change{Admin: &admin})
		return err
	}
}

// enable serves the button that enables a user.
func (d *Desk) enable(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	if err := d.people.Enable(r.Context(), v.Act, u); err != nil {
		return err
	}
	return webpage.See(w, r, userPath(u.ID)+"?done=enabled")
}

// endSessionOf serves the button that ends one sign-in of a user. One that has ended
// by itself meanwhile is what was asked for.
func (d *Desk) endSessionOf(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	id, err := httpio.PathID(r, sessionVariable)
	if err != nil {
		return err
	}
	if err := d.people.EndSession(r.Context(), v.Act, u.ID, id); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return webpage.See(w, r, userPath(u.ID)+"?done=session-ended")
}
