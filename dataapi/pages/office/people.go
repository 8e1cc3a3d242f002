package office

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const maxHandle = 320 // characters of an address

// membership is of whoever has the id, in the hub or project of the errand.
func (e errand) membership(user string) administration.Membership {
	if e.place.Project.ID != "" {
		return administration.Membership{ProjectID: e.place.Project.ID, UserID: user}
	}
	return administration.Membership{HubID: e.hub.ID, UserID: user}
}

// showPeople serves the page with the members of a hub or project.
func (d *Desk) showPeople(w http.ResponseWriter, r *http.Request, e errand) error {
	list, err := d.peoplePage(r, e, url.Values{})
	if err != nil {
		return err
	}
	return d.list(w, r, list)
}

func (d *Desk) peoplePage(r *http.Request, e errand, values url.Values) (templates.ListingPage, error) {
	list := templates.ListingPage{Trail: e.trail(), Heading: texts.Say("filing.people.title", "Name", e.name()),
		None: texts.Say("filing.people.none"), More: texts.Say("filing.people.more"),
		Form: templates.Form{ID: "member-form", Action: e.url() + "/people", Submit: texts.Say("parts.add"),
			Inputs: []templates.Input{personInput(values.Get(fieldUser)),
				{Kind: templates.InputFlag, Name: administration.FieldRole, Label: texts.Say("filing.people.admin"),
					Value: values.Get(administration.FieldRole)}}}}
	members, err := d.rules.ListMembers(r.Context(), e.membership(""))
	if err != nil {
		return list, err
	}
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.UserID
	}
	names, err := d.rules.Names(r.Context(), ids)
	for _, m := range members {
		row := templates.Listed{Name: names[m.UserID], ID: m.UserID, What: texts.Say("filing.people.member"),
			Acts: []templates.Button{{ID: "remove-" + m.UserID, URL: e.url() + "/people/" + m.UserID + "/remove",
				Text: texts.Say("parts.remove")}}}
		if m.Admin {
			row.What = texts.Say("filing.people.administrator")
		}
		list.Rows = append(list.Rows, row)
	}
	byName(list.Rows)
	return list, err
}

func personInput(typed string) templates.Input {
	return templates.Input{Kind: templates.InputText, Name: fieldUser, Label: texts.Say("filing.people.who"), Value: typed,
		Required: true, Max: maxHandle, Hint: texts.Say("filing.people.who-hint")}
}

// handleIn is who or what somebody named in a field, without the blanks that keyboards and
// copies put around it.
func handleIn(values url.Values, field string) string { return strings.TrimSpace(values.Get(field)) }

// addPerson adds a member, or gives one another role. An administrator of the server
// invites whom nobody knows.
func (d *Desk) addPerson(w http.ResponseWriter, r *http.Request, e errand) error {
	values, err := httpio.ReadForm(w, r)
	if err != nil {
		return err
	}
	handle, key := handleIn(values, fieldUser), "member"
	var invited administration.Invitation
	id, err := d.rules.PersonFor(r.Context(), e.who, handle)
	if e.who.Server && administration.IsUnknownAddress(err, handle) {
		if invited, err = d.invite(r.Context(), e.Act, handle); err != nil {
			err = fault.All(err)[0].At(fieldUser) // the address is all that was typed
		}
		id, key = invited.UserID, "invited"
	}
	if err == nil {
		m := e.membership(id)
		m.Admin = values.Get(administration.FieldRole) == "on"
		err = d.rules.SetMember(r.Context(), e.change, m)
	}
	if err != nil {
		list, failed := d.peoplePage(r, e, values)
		if failed != nil {
			return failed
		}
		return d.again(w, r, list, asked(err))
	}
	if invited.URL != "" { // no mail goes out here
		return e.Show(w, r, templates.Shown{Reveal: &templates.RevealPage{
			Desk: templates.Desk{Section: templates.SectionFiles}, Heading: texts.Say("filing.people.invited"),
			Lead:  texts.Say("filing.people.invited-lead"),
			Items: []templates.Revealed{{ID: "link", Label: texts.Say("people.link"), Value: invited.URL}},
			Next:  templates.Link{URL: e.url() + "/people", Text: texts.Say("parts.copied")},
		}}, e.url()+"/people")
	}
	return d.see(w, r, e, e.url()+"/people", key)
}

// askPerson asks once before somebody is taken out.
func (d *Desk) askPerson(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, userVariable)
	if err == nil {
		_, err = d.rules.FindMember(r.Context(), e.membership(id))
	}
	if err != nil {
		return err
	}
	names, err := d.rules.Names(r.Context(), []string{id})
	if err != nil {
		return err
	}
	return d.Ask(w, r, templates.ConfirmPage{
		Back:    templates.Link{URL: e.url() + "/people", Text: texts.Say("filing.people.title", "Name", e.name())},
		Heading: texts.Say("filing.people.take", "Person", names[id], "Name", e.name()), Action: r.URL.EscapedPath(),
		Stops:  []texts.Text{texts.Say("filing.people.take-stops")},
		Submit: texts.Say("parts.remove"), CancelURL: e.url() + "/people"})
}

func (d *Desk) removePerson(w http.ResponseWriter, r *http.Request, e errand) error {
	id, err := httpio.PathID(r, userVariable)
	if err == nil {
		err = d.rules.RemoveMember(r.Context(), e.change, e.membership(id))
	}
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	return d.see(w, r, e, e.url()+"/people", "member-gone")
}
