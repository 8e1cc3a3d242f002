package people

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func userPath(id string) string { return usersPath + "/" + id }

// users serves the page that finds people.
func (d *Desk) users(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	list, err := webpage.ListOf(r)
	if err != nil {
		return err
	}
	users, err := d.people.List(r.Context(), ParseUserFilter(list.Values), pageOf(list))
	if list.Strays(len(users.Rows), err) {
		return list.Begin(w, r)
	}
	if err != nil {
		return err
	}
	view := templates.UsersPage{
		Desk: desk(r, templates.SectionUsers), NewURL: usersPath + "/new", ImportURL: importPath,
		Search: list.Search(userSorts...), Total: users.Total, Pager: list.Pager(users.Previous, users.Next),
	}
	for _, u := range users.Rows {
		view.Users = append(view.Users, templates.UserRow{
			URL: userPath(u.ID), Name: u.Profile.Name, Email: u.Email, Username: u.Username,
			Admin: u.Admin, Disabled: u.Disabled, LastSignIn: u.LastSignInAt,
		})
	}
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Users(out, view) })
}

// ParseUserFilter reads which users a list is to hold: those that q finds, and of the
// sorts that are named.
func ParseUserFilter(query url.Values) storage.UserFilter {
	filter := storage.UserFilter{Query: trimmed(query.Get("q"))}
	for sort, to := range map[string]struct {
		field **bool
		value bool
	}{"admin": {&filter.Admin, true}, "disabled": {&filter.Disabled, true}, "no_factor": {&filter.TwoFactor, false}} {
		if asked := query.Get(sort); asked == "on" || asked == "true" {
			*to.field = new(to.value)
		}
	}
	return filter
}

// userSorts are what a list of users can be narrowed to.
var userSorts = []templates.Option{
	{Value: "admin", Label: texts.Say("people.only.administrators")},
	{Value: "disabled", Label: texts.Say("people.only.disabled")},
	{Value: "no_factor", Label: texts.Say("people.only.without-factor")},
}

func userSortNames() []string {
	var names []string
	for _, sort := range userSorts {
		names = append(names, sort.Value)
	}
	return names
}

// showCreate serves the form that adds a user.
func (d *Desk) showCreate(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return d.createPage(w, r, http.StatusOK, newUserForm(url.Values{}))
}

func newUserForm(values url.Values) templates.Form {
	return templates.Form{
		ID: "user-form", Action: usersPath + "/new", Submit: texts.Say("parts.add"),
		Inputs: append(identityInputs(values), templates.Input{
			Kind: templates.InputFlag, Name: FieldEmailVerified, Label: texts.Say("people.known-theirs"),
			Value: values.Get(FieldEmailVerified),
			Hint:  texts.Say("people.known-theirs-hint"),
		}),
	}
}

func identityInputs(values url.Values) []templates.Input {
	return []templates.Input{
		{Kind: templates.InputText, Name: FieldName, Label: texts.Say("fields.name"), Value: values.Get(FieldName),
			Required: true, Max: maxLine},
		{Kind: templates.InputEmail, Name: FieldEmail, Label: texts.Say("fields.email"), Value: values.Get(FieldEmail),
			Required: true, Max: maxAddress},
		{Kind: templates.InputText, Name: FieldUsername, Label: texts.Say("fields.username"),
			Value: values.Get(FieldUsername), Max: 64, Hint: texts.Say("fields.wants.username")},
	}
}

func (d *Desk) createPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	lead := texts.Say("people.add-lead")
	if d.people.Delivers() {
		lead = texts.Say("people.add-lead-mailed")
	}
	return d.send(w, status, func(out io.Writer) error {
		return d.with.Pages.Form(out, templates.FormPage{
			Desk: desk(r, templates.SectionUsers), Back: templates.Link{URL: usersPath, Text: texts.Say("desk.tab.users")},
			Heading: texts.Say("people.add"),
			Lead:    lead, Form: form,
		})
	})
}

func (d *Desk) create(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	user, err := d.people.Create(r.Context(), v.Act, Newcomer{
		Email: values.Get(FieldEmail), Name: values.Get(FieldName), Username: values.Get(FieldUsername),
		EmailVerified: values.Get(FieldEmailVerified) == "on",
	})
	if err != nil {
		form := newUserForm(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.createPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return d.inviteAs(w, r, v, user, texts.Say("people.added", "Name", user.Title()))
}

// revealLink makes a link by which the user chooses a password, and shows it
// this once.
func (d *Desk) revealLink(w http.ResponseWriter, r *http.Request, v websession.Visit, user storage.User,
	heading texts.Text) error {
	link, err := d.people.PasswordLink(r.Context(), v.Act, user)
	if err != nil {
		return err
	}
	return d.showLink(w, r, v, user, heading, link, texts.Say("people.link-hand"))
}

func (d *Desk) showLink(w http.ResponseWriter, r *http.Request, v websession.Visit, user storage.User,
	heading texts.Text, link Link, lead texts.Text) error {
	page := templates.RevealPage{
		Desk: templates.Desk{Section: templates.SectionUsers}, Heading: heading, Lead: lead,
		Items: []templates.Revealed{{ID: "link", Label: texts.Say("people.link"), Value: link.PasswordURL(d.with.BaseURL)}},
		Next:  templates.Link{URL: userPath(user.ID), Text: texts.Say("parts.copied")},
	}
	return v.Show(w, r, templates.Shown{Reveal: &page}, page.Next.URL)
}

// inviteUser serves the button that invites a user who has no password, or anew.
func (d *Desk) inviteUser(w http.ResponseWriter, r *http.Request, v websession.Visit, user storage.User) error {
	return d.inviteAs(w, r, v, user, texts.Say("joining.invited.title", "Name", user.Title()))
}

// inviteAs invites a user by mail, or by a link that is shown this once.
func (d *Desk) inviteAs(w http.ResponseWriter, r *http.Request, v websession.Visit, user storage.User,
	heading texts.Text) error {
	invitation, err := d.people.InviteUser(r.Context(), v.Act, user, v.User.Title())
	if err != nil {
		return err
	}
	if invitation.Mailed() {
		return webpage.See(w, r, userPath(user.ID)+"?done=invited")
	}
	return d.showLink(w, r, v, user, heading, invitation.Link, texts.Say("joining.invited.lead"))
}

// ofUser is a handler for the user that the path names.
func (d *Desk) ofUser(page func(w http.ResponseWriter, r *http.Request, v websession.Visit,
	user storage.User) error) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		user, err := httpio.Named(r, userVariable, d.people.FindByID)
		if err != nil {
			return err
		}
		return page(w, r, v, user)
	}
}

// user serves the page of one person.
func (d *Desk) user(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	view, err := d.userPage(r.Context(), u)
	if err != nil {
		return err
	}
	view.Desk, view.Buttons = desk(r, templates.SectionUsers), append(view.Buttons, userButtons(u, v)...)
	if u.ID == v.UserID {
		view.DeleteURL = "" // who goes deletes their account on their own page
	}
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.User(out, view) })
}

func (d *Desk) userPage(ctx context.Context, u storage.User) (templates.UserPage, error) {
	path := userPath(u.ID)
	view := templates.UserPage{
		Back: templates.Link{URL: usersPath, Text: texts.Say("desk.tab.users")}, Name: u.Title(),
		Disabled: u.Disabled, Facts: userFacts(u),
		EditURL: path + "/edit", DeleteURL: path + "/delete", EndAction: path + "/sessions",
		AuditURL: auditPath + "?" + url.Values{"actor": {u.ID}}.Encode(),
	}
	if u.TwoFactor {
		view.Buttons = append(view.Buttons, templates.Button{ // its page is of package factors
			ID: "remove-factor", URL: path + "/second-factor", Text: texts.Say("people.remove-factor"), Grave: true,
		})
	}
	if u.Admin {
		view.Marks = append(view.Marks, texts.Say("people.administrator"))
	}
	owner, owned, err := d.people.Owner(ctx, u.ID)
	if err != nil {
		return view, err
	}
	if owned {
		view.Facts = append(view.Facts, ownerFact(owner))
	}
	newcomer, err := d.people.IsNewcomer(ctx, u)
	if err != nil {
		return view, err
	}
	if newcomer && !u.Disabled {
		view.Buttons = append([]templates.Button{{ID: "invite", Action: path + "/invite",
			Text: texts.Say("joining.invited.again")}}, view.Buttons...)
	}
	sessions, err := d.people.Sessions(ctx, u.ID)
	if err != nil {
		return view, err
	}
	for _, s := range sessions {
		view.Sessions = append(view.Sessions, templates.SessionRow{
			ID: s.ID, Device: device(s.UserAgent), Address: s.Address, Since: s.CreatedAt, LastSeen: s.LastSeenAt,
		})
	}
	groups, err := d.people.GroupsOf(ctx, u.ID)
	for _, g := range groups {
		view.Groups = append(view.Groups, templates.Link{URL: groupPath(g.ID), Text: texts.Own(g.Name)})
	}
	return view, err
}

func userFacts(u storage.User) []templates.Fact {
	facts := []templates.Fact{{Label: texts.Say("people.user-id"), Text: texts.Own(u.ID), Code: true}}
	for _, value := range Values(u) {
		text := texts.Own(value.Value)
		if value.Boolean {
			text = map[string]texts.Text{"true": texts.Say("people.yes"), "false": texts.Say("people.no")}[value.Value]
		}
		facts = append(facts, templates.Fact{Label: labels[value.Field], Text: text})
	}
	factor := texts.Say("people.no")
	if u.TwoFactor {
		factor = texts.Say("people.yes")
	}
	return append(facts, templates.Fact{Label: texts.Say("people.second-factor"), Text: factor},
		templates.Fact{Label: texts.Say("people.added-at"), Text: texts.Value(u.CreatedAt)},
		templates.Fact{Label: texts.Say("people.last-sign-in-at"), Text: texts.Value(u.LastSignInAt)})
}

// userButtons are what the visitor may do with the user. Nobody takes from
// themselves what they may do here.
func userButtons(u storage.User, v websession.Visit) []templates.Button {
	path := userPath(u.ID)
	buttons := []templates.Button{
		{ID: "reset", Action: path + "/reset", Text: texts.Say("people.link")},
		{ID: "end-sessions", URL: path + "/end-sessions", Text: texts.Say("people.sign-out-everywhere")},
	}
	switch {
	case u.Disabled:
		return []templates.Button{{ID: "enable", Action: path + "/enable", Text: texts.Say("parts.enable")}}
	case u.ID == v.UserID:
		return buttons
	case u.Admin:
		buttons = append(buttons, templates.Button{ID: "demote", URL: path + "/demote",
			Text: texts.Say("people.take-administrator")})
	default:
		buttons = append(buttons, templates.Button{ID: "promote", URL: path + "/promote",
			Text: texts.Say("people.make-administrator")})
	}
	return append(buttons, templates.Button{ID: "disable", URL: path + "/disable",
		Text: texts.Say("parts.disable"), Grave: true})
}

// reset serves the button that makes a link to choose a password.
func (d *Desk) reset(w http.ResponseWriter, r *http.Request, v websession.Visit, u storage.User) error {
	return d.revealLink(w, r, v, u, texts.Say("people.link-for", "Name", u.Title()))
}
