package apps

import (
	"net/url"
	"slices"

	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The fields of RequirePKCE, LeanIDToken, PlainJWT and Devices.
const (
	FieldPKCE        = "require_pkce"
	FieldLeanIDToken = "lean_id_token"
	FieldPlainJWT    = "plain_jwt"
	FieldDevices     = "devices"
)

func nameInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputText, Name: FieldName, Label: texts.Say("parts.name"), Value: values.Get(FieldName),
		Required: true, Max: maxNameLength,
		Hint: texts.Say("apps.form.name-hint"),
	}
}

func typeInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputChoice, Name: FieldType, Label: texts.Say("apps.form.type"), Required: true,
		Options: options(values.Get(FieldType), []choice{
			{string(storage.ClientWeb), texts.Say("apps.type.web"), texts.Say("apps.type-of-web")},
			{string(storage.ClientSPA), texts.Say("apps.type.spa"), texts.Say("apps.type-of-spa")},
			{string(storage.ClientNative), texts.Say("apps.type.native"), texts.Say("apps.type-of-native")},
			{string(storage.ClientService), texts.Say("apps.type.service"), texts.Say("apps.type-of-service")},
		}),
	}
}

func profileInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputChoice, Name: FieldProfile, Label: texts.Say("parts.profile"), Required: true,
		Options: options(values.Get(FieldProfile), []choice{
			{storage.ProfilePlatform, texts.Say("apps.form.profile-platform"), texts.Say("apps.form.profile-platform-hint")},
			{storage.ProfileStandard, texts.Say("apps.form.profile-standard"), texts.Say("apps.form.profile-standard-hint")},
			{storage.ProfileFAPI, texts.Say("apps.form.profile-fapi"), texts.Say("apps.form.profile-fapi-hint")},
			{storage.ProfileFAPISigned, texts.Say("apps.form.profile-signed"), texts.Say("apps.form.profile-signed-hint")},
		}),
	}
}

// choice is one of what a field offers.
type choice struct {
	value       string
	label, hint texts.Text
}

func options(chosen string, all []choice) []templates.Option {
	list := make([]templates.Option, len(all))
	for i, o := range all {
		list[i] = templates.Option{Value: o.value, Label: o.label, Hint: o.hint, Chosen: o.value == chosen}
	}
	return list
}

func redirectInput(values url.Values) templates.Input {
	return linesInput(values, redirecturi.FieldRedirect, texts.Say("apps.form.callbacks"),
		texts.Say("apps.form.callbacks-hint"))
}

func linesInput(values url.Values, field string, label, hint texts.Text) templates.Input {
	return templates.Input{Kind: templates.InputLines, Name: field, Label: label, Hint: hint, Value: values.Get(field)}
}

func flagInput(values url.Values, field string, label, hint texts.Text) templates.Input {
	return templates.Input{Kind: templates.InputFlag, Name: field, Label: label, Hint: hint, Value: values.Get(field)}
}

// uriInput is for what is as long as an address at most.
func uriInput(values url.Values, field string, label, hint texts.Text) templates.Input {
	return templates.Input{Kind: templates.InputText, Name: field, Label: label, Hint: hint, Value: values.Get(field),
		Max: redirecturi.MaxLength}
}

func scopesInput(c storage.Client, values url.Values) templates.Input {
	input := templates.Input{
		Kind: templates.InputChoices, Name: FieldScopes, Label: texts.Say("parts.scopes"),
		Hint: texts.Say("apps.form.scopes-hint"),
	}
	for _, name := range offeredScopes(c) {
		input.Options = append(input.Options, templates.Option{
			Value: name, Label: texts.Own(name), Hint: templates.ScopeText(name),
			Chosen: values.Get(FieldScopes+"."+name) == "on",
		})
	}
	return input
}

// mayBeOptional are the scopes of the client that its people could leave out.
func mayBeOptional(c storage.Client) []string {
	return slices.DeleteFunc(slices.Clone(c.Scopes), func(name string) bool { return name == scope.OpenID })
}

func optionalInput(c storage.Client, values url.Values) templates.Input {
	input := templates.Input{
		Kind: templates.InputChoices, Name: FieldOptional, Label: texts.Say("apps.form.optional"),
		Hint: texts.Say("apps.form.optional-hint"),
	}
	for _, name := range mayBeOptional(c) {
		input.Options = append(input.Options, templates.Option{Value: name, Label: texts.Own(name),
			Chosen: values.Get(FieldOptional+"."+name) == "on"})
	}
	return input
}

// withLinks adds where people are led to.
func withLinks(c storage.Client, form templates.Form, values url.Values) templates.Form {
	for _, link := range []choice{
		{FieldHome, texts.Say("apps.form.home"), texts.Say("apps.form.home-hint")},
		{FieldInitiate, texts.Say("apps.form.initiate"), texts.Say("apps.form.initiate-hint")},
		{FieldPolicy, texts.Say("apps.form.policy"), texts.Say("apps.form.policy-hint")},
		{FieldTerms, texts.Say("apps.form.terms"), texts.Say("apps.form.terms-hint")},
	} {
		if c.Type == storage.ClientService && (link.value == FieldHome || link.value == FieldInitiate) {
			continue
		}
		form.Inputs = append(form.Inputs, uriInput(values, link.value, link.label, link.hint))
	}
	return form
}
