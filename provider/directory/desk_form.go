package directory

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const listPath = "/admin/directories"

func pathOf(id string) string { return listPath + "/" + id }

// on is what a flag of a form says.
const on = "on"

func flag(values url.Values, name string, label texts.Text) templates.Input {
	return templates.Input{Kind: templates.InputFlag, Name: name, Label: label, Value: values.Get(name)}
}

func text(kind templates.InputKind, values url.Values, name string, label, hint texts.Text, required bool,
	limit int) templates.Input {
	return templates.Input{Kind: kind, Name: name, Label: label, Hint: hint, Value: values.Get(name), Required: required,
		Max: limit}
}

// inputs are the fields on pages. The others are set on the command line and by API.
func inputs(v url.Values) []templates.Input {
	const typed, lines = templates.InputText, templates.InputLines
	return []templates.Input{
		text(typed, v, "name", texts.Say("parts.name"), texts.Say("directories.name-hint"), true, 100),
		text(lines, v, "hosts", texts.Say("directories.hosts"), texts.Say("directories.hosts-hint"), true, 0),
		flag(v, "start_tls", texts.Say("directories.start-tls")),
		text(lines, v, "ca", texts.Say("directories.ca"), texts.Say("directories.ca-hint"), false, 0),
		text(lines, v, "networks", texts.Say("directories.networks"), texts.Say("directories.networks-hint"), false, 0),
		text(typed, v, "bind_dn", texts.Say("directories.bind-dn"), texts.Say("directories.bind-dn-hint"), false, 500),
		{Kind: templates.InputPassword, Name: "secret", Label: texts.Say("directories.secret"),
			Hint: texts.Say("directories.secret-hint"),
			Max:  500},
		text(typed, v, "base", texts.Say("directories.base"), texts.Say("directories.base-hint"), true, 500),
		text(typed, v, "group_base", texts.Say("directories.group-base"), texts.Say("directories.group-base-hint"), false,
			500),
		{Kind: templates.InputList, Name: "join", Label: texts.Say("directories.join"), Value: v.Get("join"),
			Options: []templates.Option{
				{Value: JoinSignIn, Label: texts.Say("directories.join-sign-in"), Chosen: v.Get("join") == JoinSignIn},
				{Value: JoinAll, Label: texts.Say("directories.join-all"), Chosen: v.Get("join") == JoinAll},
				{Value: JoinOff, Label: texts.Say("directories.join-off"), Chosen: v.Get("join") == JoinOff}}},
		text(lines, v, "vouches_for", texts.Say("directories.vouches"), texts.Say("directories.vouches-hint"), false, 0),
		flag(v, "link", texts.Say("directories.link")),
		text(lines, v, "domains", texts.Say("directories.domains"), texts.Say("directories.domains-hint"), false, 0),
		flag(v, "exclusive", texts.Say("directories.exclusive")),
		flag(v, "groups_come", texts.Say("directories.groups-come")),
		text(typed, v, "group_prefix", texts.Say("directories.prefix"), texts.Text{}, false, 50),
	}
}

// valuesOf are the fields as a form has them.
func valuesOf(d View) url.Values {
	c := d.Config
	v := url.Values{"name": {d.Name}, "hosts": {strings.Join(c.Hosts, "\n")}, "ca": {c.CA},
		"networks": {strings.Join(c.Networks, "\n")}, "bind_dn": {c.BindDN}, "base": {c.Base}, "group_base": {c.GroupBase},
		"join": {c.Join}, "vouches_for": {strings.Join(c.Vouch, "\n")}, "domains": {strings.Join(d.Domains, "\n")},
		"group_prefix": {d.GroupPrefix}}
	for name, is := range map[string]bool{"start_tls": c.StartTLS, "link": c.Link == LinkVerified,
		"exclusive": d.Exclusive, "groups_come": c.GroupsCome} {
		if is {
			v.Set(name, on)
		}
	}
	return v
}

// changeOf is what a form says.
func changeOf(v url.Values) (Change, error) {
	link := "ask"
	if v.Get("link") == on {
		link = LinkVerified
	}
	config, err := json.Marshal(map[string]any{"hosts": webpage.Lines(v.Get("hosts")),
		"ca":       strings.TrimSpace(v.Get("ca")),
		"networks": webpage.Lines(v.Get("networks")), "bind_dn": strings.TrimSpace(v.Get("bind_dn")),
		"base": strings.TrimSpace(v.Get("base")), "group_base": strings.TrimSpace(v.Get("group_base")), "join": v.Get("join"),
		"vouches_for": webpage.Lines(v.Get("vouches_for")), "link": link, "start_tls": v.Get("start_tls") == on,
		"groups_come": v.Get("groups_come") == on})
	change := Change{Name: new(v.Get("name")), Domains: new(webpage.Lines(v.Get("domains"))),
		Exclusive: new(v.Get("exclusive") == on), GroupPrefix: new(v.Get("group_prefix")), Config: config}
	if secret := v.Get("secret"); secret != "" {
		change.Secret = &secret
	}
	return change, err
}

func createForm(v url.Values) templates.Form {
	id := templates.Input{Kind: templates.InputText, Name: "id", Label: texts.Say("directories.key"),
		Hint: texts.Say("directories.key-hint"), Value: v.Get("id"), Required: true, Max: 32}
	var kinds []templates.Option
	for _, kind := range []string{"ad", "openldap", "389", "ipa"} {
		name := map[string]string{"ad": "Active Directory", "openldap": "OpenLDAP", "389": "389 Directory Server",
			"ipa": "FreeIPA"}[kind]
		kinds = append(kinds, templates.Option{Value: kind, Label: texts.Own(name), Chosen: v.Get("kind") == kind})
	}
	kind := templates.Input{Kind: templates.InputList, Name: "kind", Label: texts.Say("directories.kind"),
		Value: v.Get("kind"), Options: kinds, Required: true}
	return templates.Form{ID: "directory-form", Action: listPath, Submit: texts.Say("parts.add"),
		Inputs: append([]templates.Input{id, kind}, inputs(v)...)}
}

func editForm(d View) templates.Form {
	return templates.Form{ID: "directory-form", Action: pathOf(d.ID), Submit: texts.Say("parts.save"), Edits: true,
		Inputs: inputs(valuesOf(d))}
}

func testForm(id string) templates.Form {
	return templates.Form{ID: "test-form", Action: pathOf(id) + "/test", Submit: texts.Say("directories.test"),
		Inputs: []templates.Input{{Kind: templates.InputText, Name: "person", Label: texts.Say("directories.test-person"),
			Hint: texts.Say("directories.test-person-hint"), Max: maxName}}}
}

func syncForm(id string) templates.Form {
	return templates.Form{ID: "sync-form", Action: pathOf(id) + "/sync", Submit: texts.Say("directories.sync"),
		Inputs: []templates.Input{flag(nil, "gone", texts.Say("directories.gone"))}}
}
