package office

import (
	"net/http"
	"slices"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const maxName = 255 // characters

func nameInput(value string) templates.Input {
	return templates.Input{Kind: templates.InputText, Name: administration.FieldName, Label: texts.Say("parts.name"),
		Value: value, Required: true, Max: maxName}
}

// showGroups serves the page with the groups of a hub.
func (d *Desk) showGroups(w http.ResponseWriter, r *http.Request, e errand) error {
	list, err := d.groupsPage(r, e, "")
	if err != nil {
		return err
	}
	return d.list(w, r, list)
}

func (d *Desk) groupsPage(r *http.Request, e errand, typed string) (templates.ListingPage, error) {
	list := templates.ListingPage{Trail: e.trail(), Heading: texts.Say("filing.groups.title", "Name", e.hub.Name),
		Lead: texts.Say("filing.groups.lead"), None: texts.Say("filing.groups.none"), More: texts.Say("filing.groups.more"),
		Form: templates.Form{ID: "group-form", Action: e.url() + "/groups", Submit: texts.Say("parts.add"),
			Inputs: []templates.Input{nameInput(typed)}}}
	groups, err := d.rules.ListGroups(r.Context(), e.hub.ID)
	for _, g := range groups {
		list.Rows = append(list.Rows, templates.Listed{Name: g.Name, URL: e.url() + "/groups/" + g.ID})
	}
	return list, err
}

func (d *Desk) addGroup(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	name := values.Get(administration.FieldName)
	group, err := d.rules.CreateGroup(r.Context(), e.change, e.hub.ID, name)
	if err != nil {
		list, failed := d.groupsPage(r, e, name)
		if failed != nil {
			return failed
		}
		return d.again(w, r, list, err)
	}
	return ground.See(w, r, e.url()+"/groups/"+group.ID, "group-made")
}

// inGroup serves a page of a group of a hub.
func (d *Desk) inGroup(p page) page {
	return d.inHub(func(w http.ResponseWriter, r *http.Request, e errand) error {
		id, err := httpio.PathID(r, groupVariable)
		if err == nil {
			e.group, err = d.rules.FindGroup(r.Context(), e.hub.ID, id)
		}
		if err != nil {
			return err
		}
		return p(w, r, e)
	})
}

func (e errand) groupURL() string { return e.url() + "/groups/" + e.group.ID }

// showGroup serves the page with the people of a group.
func (d *Desk) showGroup(w http.ResponseWriter, r *http.Request, e errand) error {
	list, err := d.groupPage(r, e, "")
	if err != nil {
		return err
	}
	return d.list(w, r, list)
}

func (d *Desk) groupPage(r *http.Request, e errand, typed string) (templates.ListingPage, error) {
	list := templates.ListingPage{
		Trail:   append(e.trail(), templates.Link{URL: e.url() + "/groups", Text: texts.Say("filing.hub.groups")}),
		Heading: texts.Own(e.group.Name), None: texts.Say("filing.groups.nobody"), More: texts.Say("filing.people.more"),
		Ways: []templates.Button{{ID: "delete-group", URL: e.groupURL() + "/delete", Text: texts.Say("filing.groups.delete"),
			Grave: true}},
		Form: templates.Form{ID: "member-form", Action: e.groupURL(), Submit: texts.Say("parts.add"),
			Inputs: []templates.Input{personInput(typed)}}}
	ids, err := d.rules.ListGroupMembers(r.Context(), e.group)
	if err != nil {
		return list, err
	}
	names, err := d.rules.Names(r.Context(), ids)
	for _, id := range ids {
		list.Rows = append(list.Rows, templates.Listed{Name: names[id], ID: id, Acts: []templates.Button{{
			ID: "remove-" + id, URL: e.groupURL() + "/members/" + id + "/remove", Text: texts.Say("parts.remove")}}})
	}
	byName(list.Rows)
	return list, err
}

func (d *Desk) addToGroup(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	id, err := d.rules.PersonFor(r.Context(), e.who, handleIn(values, fieldUser))
	if err == nil {
		err = d.rules.AddToGroup(r.Context(), e.change, e.group, id)
	}
	if err != nil {
		list, failed := d.groupPage(r, e, values.Get(fieldUser))
		if failed != nil {
			return failed
		}
		return d.again(w, r, list, asked(err))
	}
	return ground.See(w, r, e.groupURL(), "member")
}

// askOut asks once before somebody is taken out; whoever is not in the group is not named.
func (d *Desk) askOut(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, userVariable)
	if err != nil {
		return err
	}
	members, err := d.rules.ListGroupMembers(r.Context(), e.group)
	if err == nil && !slices.Contains(members, id) {
		err = fault.Absent("member")
	}
	if err != nil {
		return err
	}
	names, err := d.rules.Names(r.Context(), []string{id})
	if err != nil {
		return err
	}
	return d.askOfGroup(w, r, e, texts.Say("filing.people.take", "Person", names[id], "Name", e.group.Name),
		texts.Say("filing.groups.out-stops"), texts.Say("parts.remove"))
}

func (d *Desk) askOfGroup(w http.ResponseWriter, r *http.Request, e errand, heading, stops, submit texts.Text) error {
	return d.Ask(w, r, templates.ConfirmPage{Back: templates.Link{URL: e.groupURL(), Text: texts.Own(e.group.Name)},
		Heading: heading, Action: r.URL.EscapedPath(), Stops: []texts.Text{stops}, Submit: submit, CancelURL: e.groupURL()})
}

func (d *Desk) takeOut(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, userVariable)
	if err == nil {
		err = d.rules.RemoveFromGroup(r.Context(), e.change, e.group, id)
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return ground.See(w, r, e.groupURL(), "member-gone")
}

func (d *Desk) askDeleteGroup(w http.ResponseWriter, r *http.Request, e errand) error {
	return d.askOfGroup(w, r, e, texts.Say("filing.groups.delete-which", "Name", e.group.Name),
		texts.Say("filing.groups.delete-stops"), texts.Say("filing.groups.delete"))
}

func (d *Desk) deleteGroup(w http.ResponseWriter, r *http.Request, e errand) error {
	if err := d.rules.DeleteGroup(r.Context(), e.change, e.group); err != nil {
		return err
	}
	return ground.See(w, r, e.url()+"/groups", "group-gone")
}
