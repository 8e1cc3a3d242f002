package people

import (
	"io"
	"net/http"
	"net/url"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func groupPath(id string) string { return groupsPath + "/" + id }

func groupForm(action string, submit texts.Text, values url.Values) templates.Form {
	return templates.Form{ID: "group-form", Action: action, Submit: submit, Inputs: []templates.Input{
		{Kind: templates.InputText, Name: FieldName, Label: texts.Say("parts.name"), Value: values.Get(FieldName),
			Required: true, Max: maxGroupName, Hint: texts.Say("people.group-name-hint")},
		{Kind: templates.InputText, Name: FieldDescription, Label: texts.Say("people.group-description"),
			Value: values.Get(FieldDescription), Max: maxLine},
	}}
}

// showGroups serves the list of groups, and the form that adds one.
func (d *Desk) showGroups(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	return d.groupsPage(w, r, http.StatusOK, groupForm(groupsPath, texts.Say("parts.add"), url.Values{}))
}

func (d *Desk) groupsPage(w http.ResponseWriter, r *http.Request, status int, form templates.Form) error {
	list, err := webpage.ListOf(r)
	if err != nil {
		return err
	}
	groups, err := d.people.ListGroups(r.Context(), trimmed(list.Get("q")), pageOf(list))
	if list.Strays(len(groups.Rows), err) {
		return list.Begin(w, r)
	}
	if err != nil {
		return err
	}
	view := templates.GroupsPage{
		Desk: desk(r, templates.SectionGroups), Create: form,
		Search: list.Search(), Total: groups.Total, Pager: list.Pager(groups.Previous, groups.Next),
	}
	for _, g := range groups.Rows {
		view.Groups = append(view.Groups, templates.GroupRow{URL: groupPath(g.ID), Name: g.Name,
			Description: g.Description, Members: g.Members})
	}
	return d.send(w, status, func(out io.Writer) error { return d.with.Pages.Groups(out, view) })
}

func newGroup(values url.Values) NewGroup {
	return NewGroup{Name: values.Get(FieldName), Description: values.Get(FieldDescription)}
}

func (d *Desk) createGroup(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	group, err := d.people.CreateGroup(r.Context(), v.Act, newGroup(values))
	if err != nil {
		form := groupForm(groupsPath, texts.Say("parts.add"), values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.groupsPage(w, r, http.StatusUnprocessableEntity, form)
	}
	return webpage.See(w, r, groupPath(group.ID)+"?done=group-created")
}

// ofGroup is a handler for the group that the path names.
func (d *Desk) ofGroup(page func(w http.ResponseWriter, r *http.Request, v websession.Visit,
	g storage.UserGroup) error) websession.Page {
	return func(w http.ResponseWriter, r *http.Request, v websession.Visit) error {
		group, err := httpio.Named(r, groupVariable, d.people.FindGroup)
		if err != nil {
			return err
		}
		return page(w, r, v, group)
	}
}

// showGroup serves the page of one group, and the form that changes it.
func (d *Desk) showGroup(w http.ResponseWriter, r *http.Request, v websession.Visit, g storage.UserGroup) error {
	return d.groupPage(w, r, g, http.StatusOK, editGroupForm(g), addForm(g, ""))
}

func editGroupForm(g storage.UserGroup) templates.Form {
	form := groupForm(groupPath(g.ID), texts.Say("parts.save"),
		url.Values{FieldName: {g.Name}, FieldDescription: {g.Description}})
	form.Edits = true
	return form
}

func addForm(g storage.UserGroup, typed string) templates.Form {
	return templates.Form{ID: "add-member", Action: groupPath(g.ID) + "/members", Submit: texts.Say("people.group-put"),
		Inputs: []templates.Input{{
			Kind: templates.InputText, Name: FieldMember, Label: texts.Say("people.group-person"), Value: typed, Required: true,
			Max: 320, Hint: texts.Say("people.group-person-hint"),
		}}}
}

func (d *Desk) groupPage(w http.ResponseWriter, r *http.Request, g storage.UserGroup, status int, edit,
	add templates.Form) error {
	list, err := webpage.ListOf(r)
	if err != nil {
		return err
	}
	users, err := d.people.List(r.Context(), storage.UserFilter{GroupID: g.ID}, pageOf(list))
	if list.Strays(len(users.Rows), err) {
		return list.Begin(w, r)
	}
	if err != nil {
		return err
	}
	path := groupPath(g.ID)
	view := templates.GroupPage{
		Desk: desk(r, templates.SectionGroups), Back: templates.Link{URL: groupsPath, Text: texts.Say("desk.tab.groups")},
		Name: g.Name,
		Edit: edit, Add: add, Total: users.Total, Pager: list.Pager(users.Previous, users.Next), DeleteURL: path + "/delete",
	}
	owner, owned, err := d.people.Owner(r.Context(), g.ID)
	if err != nil {
		return err
	}
	if owned {
		view.Managed = texts.Say("connections.managed-lead", "Name", owner.Name)
	}
	for _, u := range users.Rows {
		member := templates.MemberRow{Name: u.Title(), Email: u.Email, RemoveURL: path + "/members/" + u.ID + "/remove"}
		if owned {
			member.RemoveURL = ""
		}
		view.Members = append(view.Members, member)
	}
	return d.send(w, status, func(out io.Writer) error { return d.with.Pages.Group(out, view) })
}

func (d *Desk) editGroup(w http.ResponseWriter, r *http.Request, v websession.Visit, g storage.UserGroup) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = webpage.Meet(values, editGroupForm(g)); err == nil {
		_, err = d.people.UpdateGroup(r.Context(), v.Act, g.ID, func(NewGroup) NewGroup { return newGroup(values) })
	}
	if err != nil {
		form := editGroupForm(g).Refill(values)
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.groupPage(w, r, g, http.StatusUnprocessableEntity, form, addForm(g, ""))
	}
	return webpage.See(w, r, groupPath(g.ID)+"?done=edited")
}

// addMember serves the form that puts somebody into a group.
func (d *Desk) addMember(w http.ResponseWriter, r *http.Request, v websession.Visit, g storage.UserGroup) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := d.people.AddToGroup(r.Context(), v.Act, g.ID, values.Get(FieldMember)); err != nil {
		form := addForm(g, values.Get(FieldMember))
		if !webpage.Mark(&form, err) {
			return err
		}
		return d.groupPage(w, r, g, http.StatusUnprocessableEntity, editGroupForm(g), form)
	}
	return webpage.See(w, r, groupPath(g.ID)+"?done=added")
}

// askRemoveMember serves the question before somebody is taken out of a group.
func (d *Desk) askRemoveMember(w http.ResponseWriter, r *http.Request, v websession.Visit, g storage.UserGroup) error {
	u, err := d.memberOf(r)
	if err != nil {
		return err
	}
	return d.askGroup(w, r, g, templates.ConfirmPage{
		Heading: texts.Say("people.group-take-out-which", "Name", u.Title(), "Group", g.Name),
		Submit:  texts.Say("people.group-take-out"),
		Stops: []texts.Text{texts.Say("people.group-take-out-stops.rights"),
			texts.Say("people.group-take-out-stops.again")},
		Action: groupPath(g.ID) + "/members/" + u.ID + "/remove",
	})
}

func (d *Desk) removeMember(w http.ResponseWriter, r *http.Request, v websession.Visit, g storage.UserGroup) error {
	u, err := d.memberOf(r)
	if err != nil {
		return err
	}
	if err := d.people.RemoveFromGroup(r.Context(), v.Act, g.ID, u.ID); err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return webpage.See(w, r, groupPath(g.ID)+"?done=removed")
}

func (d *Desk) memberOf(r *http.Request) (storage.User, error) {
	return httpio.Named(r, userVariable, d.people.FindByID)
}

func (d *Desk) askGroup(w http.ResponseWriter, r *http.Request, g storage.UserGroup, view templates.ConfirmPage) error {
	view.Desk, view.CancelURL = desk(r, templates.SectionGroups), groupPath(g.ID)
	view.Back = templates.Link{URL: groupPath(g.ID), Text: texts.Own(g.Name)}
	return d.send(w, http.StatusOK, func(out io.Writer) error { return d.with.Pages.Confirm(out, view) })
}

// askDeleteGroup serves the question before a group is deleted.
func (d *Desk) askDeleteGroup(w http.ResponseWriter, r *http.Request, v websession.Visit, g storage.UserGroup) error {
	return d.askGroup(w, r, g, templates.ConfirmPage{
		Heading: texts.Say("people.group-delete-which", "Name", g.Name), Submit: texts.Say("people.group-delete"),
		Action: groupPath(g.ID) + "/delete",
		Stops:  []texts.Text{texts.Say("people.group-delete-rights"), texts.Say("people.group-delete-people")},
	})
}

func (d *Desk) deleteGroup(w http.ResponseWriter, r *http.Request, v websession.Visit, g storage.UserGroup) error {
	if err := d.people.DeleteGroup(r.Context(), v.Act, g.ID); err != nil {
		return err
	}
	return webpage.See(w, r, groupsPath+"?done=group-deleted")
}
