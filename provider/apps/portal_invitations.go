package apps

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// invitationsPath is where who is invited answers; /apps shows the forms.
const (
	invitationsPath    = listPath + "/invitations"
	invitationVariable = "invitationId"
)

// inviteForm is on the page of the app with the path.
func inviteForm(path, typed string) templates.Form {
	form := addMemberForm(path, typed)
	form.Submit, form.Inputs[0].Label = texts.Say("app.invite"), texts.Say("app.member-invite")
	form.Inputs[0].Hint = texts.Say("app.invite-hint")
	return form
}

// invite serves the form that asks somebody to manage the app.
func (p *Portal) invite(w http.ResponseWriter, r *http.Request, v websession.Visit, client storage.Client) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = mayInvite(r.Context(), p.with.Limits, v.Act); err == nil {
		_, err = p.apps.Invite(r.Context(), v.Act, client, inviter(v.User), values.Get(FieldMember))
	}
	if err != nil {
		form := inviteForm(appPath(client.ID), values.Get(FieldMember))
		if !webpage.Mark(&form, err) {
			return err
		}
		return p.showPage(w, r, client, webpage.Marked(w.Header(), err), form)
	}
	return webpage.See(w, r, appPath(client.ID)+"?done=invited#members")
}

// mayInvite counts invitations like all by which strangers get mail.
func mayInvite(ctx context.Context, limits *ratelimit.Limits, act storage.Act) error {
	_, err := limits.Allow(ctx, ratelimit.Accounts, ratelimit.Key("", act.Address))
	return err
}

func inviter(user storage.User) Inviter { return Inviter{user.ID, user.Title()} }

// invitationRows are who is invited to the app: what was typed, and nothing else.
func (p *Portal) invitationRows(ctx context.Context, c storage.Client) ([]templates.InvitationRow, error) {
	all, err := p.apps.Invitations(ctx, c.ID, p.with.Ambient.Now())
	var rows []templates.InvitationRow
	for _, i := range all {
		rows = append(rows, templates.InvitationRow{
			ID: i.ID, Invitee: i.Invitee, Until: i.ExpiresAt, WithdrawAction: appPath(c.ID) + "/invitations/" + i.ID + "/delete",
		})
	}
	return rows, err
}

// ownInvitationRows are the apps that the visitor is asked to manage.
func (p *Portal) ownInvitationRows(ctx context.Context, v websession.Visit) ([]templates.InvitationRow, error) {
	all, err := p.apps.InvitationsOf(ctx, v.UserID, v.Act.At)
	var rows []templates.InvitationRow
	for _, i := range all {
		rows = append(rows, templates.InvitationRow{
			ID: i.ID, App: i.App, By: i.Inviter, Until: i.ExpiresAt,
			AcceptAction: invitationsPath + "/" + i.ID + "/accept", DeclineAction: invitationsPath + "/" + i.ID + "/decline",
		})
	}
	return rows, err
}

// answering is what an invited person does about an invitation.
type answering func(ctx context.Context, act storage.Act, id, userID string) error

func (p *Portal) accept(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return p.answer(w, r, v, p.apps.Accept, "invitation-accepted")
}

func (p *Portal) decline(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return p.answer(w, r, v, p.apps.Decline, "invitation-declined")
}

func (p *Portal) answer(w http.ResponseWriter, r *http.Request, v websession.Visit,
	act answering, done string) error {
	id, err := httpio.PathID(r, invitationVariable)
	if err == nil {
		err = act(r.Context(), v.Act, id, v.UserID)
	}
	if err != nil {
		return noInvitation(err)
	}
	return webpage.See(w, r, listPath+"?done="+done)
}

// withdraw serves the button that takes an invitation back.
func (p *Portal) withdraw(w http.ResponseWriter, r *http.Request, v websession.Visit, c storage.Client) error {
	id, err := httpio.PathID(r, invitationVariable)
	if err == nil {
		err = p.apps.Uninvite(r.Context(), v.Act, c.ID, id)
	}
	if err != nil {
		return noInvitation(err)
	}
	return webpage.See(w, r, appPath(c.ID)+"?done=invitation-withdrawn#members")
}
