package upstreams

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/provider/said"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// field is one of an upstream's on its page, by the name that it has in a Change.
type field struct {
	name    string
	kind    templates.InputKind
	more    bool // seldom needed
	label   texts.Text
	options []templates.Option
}

func fields() []field {
	text, lines, flag := templates.InputText, templates.InputLines, templates.InputFlag
	return []field{
		{"name", text, false, texts.Say("upstream-desk.field.name"), nil},
		{"issuer", text, false, texts.Say("upstream-desk.field.issuer"), nil},
		{"client_id", text, false, texts.Say("upstream-desk.field.client_id"), nil},
		{"join", templates.InputList, false, texts.Say("upstream-desk.field.join"), []templates.Option{
			{Value: JoinOff, Label: texts.Say("upstream-desk.join.off")},
			{Value: JoinDomain, Label: texts.Say("upstream-desk.join.domain")},
			{Value: JoinOpen, Label: texts.Say("upstream-desk.join.open")},
		}},
		{"join_domains", lines, false, texts.Say("upstream-desk.field.join_domains"), nil},
		{"link", templates.InputList, false, texts.Say("upstream-desk.field.link"), []templates.Option{
			{Value: LinkAsk, Label: texts.Say("upstream-desk.link.ask")},
			{Value: LinkVerified, Label: texts.Say("upstream-desk.link.verified")},
		}},
		{"trust_email", flag, false, texts.Say("upstream-desk.field.trust_email"), nil},
		{"vouches_for", lines, false, texts.Say("upstream-desk.field.vouches_for"), nil},
		{"domains", lines, false, texts.Say("upstream-desk.field.domains"), nil},
		{"exclusive", flag, false, texts.Say("upstream-desk.field.exclusive"), nil},
		{"trust_mfa", flag, false, texts.Say("upstream-desk.field.trust_mfa"), nil},
		{"mfa_acrs", lines, true, texts.Say("upstream-desk.field.mfa_acrs"), nil},
		{"scopes", lines, true, texts.Say("upstream-desk.field.scopes"), nil},
		{"tenants", lines, true, texts.Say("upstream-desk.field.tenants"), nil},
		{"hosted", lines, true, texts.Say("upstream-desk.field.hosted"), nil},
		{"groups_claim", text, true, texts.Say("upstream-desk.field.groups_claim"), nil},
		{"own_groups", flag, true, texts.Say("upstream-desk.field.own_groups"), nil},
		{"recheck", text, true, texts.Say("upstream-desk.field.recheck"), nil},
		{"offer_logout", flag, true, texts.Say("upstream-desk.field.offer_logout"), nil},
		{"logout_ends_grants", flag, true, texts.Say("upstream-desk.field.logout_ends_grants"), nil},
		{"networks", lines, true, texts.Say("upstream-desk.field.networks"), nil},
		{"assertion_clients", lines, true, texts.Say("upstream-desk.field.assertion_clients"), nil},
		{"team_id", text, true, texts.Say("upstream-desk.field.team_id"), nil},
		{"key_id", text, true, texts.Say("upstream-desk.field.key_id"), nil},
		{"position", text, true, texts.Say("upstream-desk.field.position"), nil},
	}
}

func (f field) input(value string) templates.Input {
	input := templates.Input{Kind: f.kind, Name: f.name, Label: f.label, Value: value, More: f.more}
	if f.kind == templates.InputLines {
		input.Value = strings.Join(said.List(value), "\n")
	}
	if f.kind == templates.InputFlag {
		input.Value = map[string]string{"true": "on"}[value]
	}
	for i, one := range f.options {
		one.Chosen = one.Value == value || value == "" && i == 0
		input.Options = append(input.Options, one)
	}
	return input
}

func secretInput() templates.Input {
	return templates.Input{Kind: templates.InputPassword, Name: "secret", Label: texts.Say("upstream-desk.secret"),
		Hint: texts.Say("upstream-desk.secret-hint"), Max: 8192, Complete: "off"}
}

// editForm is the form with what the upstream is; its secret is never shown.
func editForm(u storage.Upstream) templates.Form {
	form := templates.Form{ID: "upstream-form", Action: pathOf(u), Submit: texts.Say("parts.save"), Edits: true,
		More: texts.Say("upstream-desk.more")}
	config, _ := configOf(u) // we wrote it
	now := config.said()
	now["name"], now["position"], now["domains"] = u.Name, strconv.Itoa(u.Position), strings.Join(u.Domains, ",")
	now["exclusive"] = strconv.FormatBool(u.Exclusive)
	needed := []string{"name", "issuer", "client_id"}
	if u.Kind == storage.UpstreamApple {
		needed = append(needed, "team_id", "key_id")
	}
	for _, one := range fields() {
		input := one.input(now[one.name])
		input.Required = slices.Contains(needed, one.name)
		input.More = input.More && !input.Required
		form.Inputs = append(form.Inputs, input)
	}
	form.Inputs = append(form.Inputs, secretInput())
	return form
}

// changeOf reads a form that was sent whole.
func changeOf(values url.Values) Change {
	change := Change{}
	for _, one := range fields() {
		switch value := values.Get(one.name); one.kind {
		case templates.InputLines:
			change[one.name] = strings.Join(webpage.Lines(value), ",")
		case templates.InputFlag:
			change[one.name] = strconv.FormatBool(value == "on")
		default:
			change[one.name] = value
		}
	}
	return change
}

// createFields are what of an upstream no preset knows.
func createFields() []templates.Input {
	text := func(name string, label texts.Text) templates.Input {
		return templates.Input{Kind: templates.InputText, Name: name, Label: label}
	}
	return []templates.Input{
		text("client_id", texts.Say("upstream-desk.field.client_id")),
		text("issuer", texts.Say("upstream-desk.field.issuer")), text("tenants", texts.Say("upstream-desk.field.tenants")),
		text("team_id", texts.Say("upstream-desk.field.team_id")), text("key_id", texts.Say("upstream-desk.field.key_id")),
		text("networks", texts.Say("upstream-desk.field.networks")),
	}
}

func createForm() templates.Form {
	preset := templates.Input{Kind: templates.InputList, Name: "preset", Required: true,
		Label: texts.Say("upstream-desk.field.preset")}
	for _, name := range []string{"oidc", "google", "entra", "apple", "github", "gitlab", "portico"} {
		label := texts.Own(Presets()[name].Name)
		switch name {
		case "oidc":
			label = texts.Say("upstream-desk.preset.oidc")
		case "portico":
			label = texts.Say("upstream-desk.preset.portico")
		}
		preset.Options = append(preset.Options, templates.Option{Value: name, Label: label})
	}
	form := templates.Form{ID: "upstream-form", Action: listPath, Submit: texts.Say("parts.add"),
		Inputs: []templates.Input{{Kind: templates.InputText, Name: "id", Label: texts.Say("upstream-desk.field.own-id"),
			Required: true, Max: 32, Hint: texts.Say("upstream-desk.id-hint")}, preset}}
	for _, input := range createFields() {
		input.Required = input.Name == "client_id"
		if input.Name == "tenants" || input.Name == "networks" {
			input.Kind = templates.InputLines
		}
		form.Inputs = append(form.Inputs, input)
	}
	form.Inputs = append(form.Inputs, secretInput())
	return form
}

// createChange reads the form that adds an upstream: what is empty is the preset's.
func createChange(values url.Values) Change {
	change := Change{}
	for _, input := range createFields() {
		if lines := webpage.Lines(values.Get(input.Name)); len(lines) > 0 {
			change[input.Name] = strings.Join(lines, ",")
		}
	}
	return change
}
