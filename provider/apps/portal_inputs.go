package apps

import (
	"net/url"

	"github.com/portico-id/portico/provider/redirecturi"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// The fields of RequirePKCE, LeanIDToken and PlainJWT.
const (
	FieldPKCE        = "require_pkce"
	FieldLeanIDToken = "lean_id_token"
	FieldPlainJWT    = "plain_jwt"
)

func nameInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputText, Name: FieldName, Label: texts.Own("Name"), Value: values.Get(FieldName), Required: true, Max: maxNameLength,
		Hint: texts.Own("As people read it when they are asked to allow it."),
	}
}

func typeInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputChoice, Name: FieldType, Label: texts.Own("Type, if it is none of the services above"), Required: true,
		Options: options(values.Get(FieldType), [][3]string{
			{string(storage.ClientWeb), "Web app", "A site with a server of its own. It signs people in and keeps a secret."},
			{string(storage.ClientSPA), "Single-page app", "Runs in the browser alone. It signs people in with PKCE, without a secret."},
			{string(storage.ClientNative), "Desktop or mobile app", "Installed on people’s devices. It signs people in with PKCE, without a secret."},
			{string(storage.ClientService), "Server-to-server app", "A program without people. It has a secret, and may have service accounts."},
		}),
	}
}

func profileInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputChoice, Name: FieldProfile, Label: texts.Own("Profile"), Required: true,
		Options: options(values.Get(FieldProfile), [][3]string{
			{storage.ProfilePlatform, "Platform", "The rules of the platform’s API to the letter: for apps written for it."},
			{storage.ProfileStandard, "Standard", "Plain OAuth 2 and OpenID Connect: for existing services and libraries such as Grafana, Gitea or openid-client."},
		}),
	}
}

func options(chosen string, all [][3]string) []templates.Option {
	list := make([]templates.Option, len(all))
	for i, o := range all {
		list[i] = templates.Option{Value: o[0], Label: texts.Own(o[1]), Hint: texts.Own(o[2]), Chosen: o[0] == chosen}
	}
	return list
}

func redirectInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputLines, Name: redirecturi.FieldRedirect, Label: texts.Own("Callback URLs"),
		Value: values.Get(redirecturi.FieldRedirect),
		Hint:  texts.Own("Where people come back to after signing in, one a line, exactly as the app sends it. https, or http on localhost and 127.0.0.1; desktop and mobile apps may use a scheme of their own, such as com.example.app:/callback. A server-to-server app has none."),
	}
}

func postLogoutInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputLines, Name: redirecturi.FieldPostLogout, Label: texts.Own("Post-logout URLs"),
		Value: values.Get(redirecturi.FieldPostLogout), Hint: texts.Own("Where people may go after signing out, one a line."),
	}
}

func originInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputLines, Name: redirecturi.FieldOrigin, Label: texts.Own("Browser origins"),
		Value: values.Get(redirecturi.FieldOrigin),
		Hint:  texts.Own("Which pages may call the API from a browser, one a line, such as https://app.example.com. Those of a single-page app’s callback URLs count anyway."),
	}
}

func backchannelInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputText, Name: redirecturi.FieldBackchannel, Label: texts.Own("Back-channel logout URL"), Max: redirecturi.MaxLength,
		Value: values.Get(redirecturi.FieldBackchannel), Hint: texts.Own("Is told when somebody’s session ends."),
	}
}

func pkceInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputFlag, Name: FieldPKCE, Label: texts.Own("Refuse sign-ins without PKCE"), Value: values.Get(FieldPKCE),
	}
}

func leanIDTokenInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputFlag, Name: FieldLeanIDToken, Label: texts.Own("Keep names and addresses out of ID tokens"), Value: values.Get(FieldLeanIDToken),
		Hint: texts.Own("For apps that ask user info, as OpenID Connect has it. Others, such as Kubernetes, know people by the ID token alone."),
	}
}

func plainJWTInput(values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputFlag, Name: FieldPlainJWT, Label: texts.Own("Mark access tokens as plain JWT"), Value: values.Get(FieldPlainJWT),
		Hint: texts.Own("For resource servers that refuse the type at+jwt, such as older ones made with Spring Boot."),
	}
}

func scopesInput(c storage.Client, values url.Values) templates.Input {
	input := templates.Input{
		Kind: templates.InputChoices, Name: FieldScopes, Label: texts.Own("Scopes"),
		Hint: texts.Own("What the app may ask for. People are asked before it gets anything of theirs."),
	}
	for _, name := range offeredScopes(c) {
		input.Options = append(input.Options, templates.Option{
			Value: name, Label: texts.Own(name), Hint: templates.ScopeText(name), Chosen: values.Get(FieldScopes+"."+name) == "on",
		})
	}
	return input
}

// withLinks adds what people are shown on the consent page.
func withLinks(form templates.Form, values url.Values) templates.Form {
	for _, link := range [][3]string{
		{FieldPolicy, "Privacy policy", "Where people read what the app does with what it learns."},
		{FieldTerms, "Terms of service", "What people agree to by using the app."},
	} {
		form.Inputs = append(form.Inputs, templates.Input{
			Kind: templates.InputText, Name: link[0], Label: texts.Own(link[1]), Hint: texts.Own(link[2]), Value: values.Get(link[0]), Max: redirecturi.MaxLength,
		})
	}
	return form
}
