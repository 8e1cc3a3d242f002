package apps

import (
	"net/url"
	"strings"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// securityInputs are the fields for what the client's profile leaves open.
func securityInputs(c storage.Client, values url.Values) []templates.Input {
	inputs := []templates.Input{
		algorithmInput(FieldAccessTokenAlg, texts.Say("apps.form.sign-access"), values),
		flagInput(values, FieldProofNeeded, texts.Say("apps.form.proof"), texts.Say("apps.form.proof-hint")),
		flagInput(values, FieldCertificateNeeded, texts.Say("apps.form.certificate"),
			texts.Say("apps.form.certificate-hint")),
	}
	if c.Type != storage.ClientService {
		inputs = append(inputs, algorithmInput(FieldIDTokenAlg, texts.Say("apps.form.sign-id"), values),
			flagInput(values, FieldRequirePushed, texts.Say("apps.form.pushed"), texts.Say("apps.form.pushed-hint")),
			flagInput(values, FieldRequireSigned, texts.Say("apps.form.signed"), texts.Say("apps.form.signed-hint")))
	}
	if c.Public() {
		return inputs
	}
	return append(inputs, templates.Input{
		Kind: templates.InputChoice, Name: FieldAuthMethod, Label: texts.Say("apps.form.auth"), Required: true,
		Options: options(values.Get(FieldAuthMethod), []choice{
			{secretMethod(c), texts.Say("apps.form.auth-secret"), texts.Say("apps.form.auth-secret-hint")},
			{storage.AuthPrivateKey, texts.Say("apps.form.auth-key"), texts.Say("apps.form.auth-key-hint")},
			{storage.AuthCertificate, texts.Say("apps.form.auth-named"), texts.Say("apps.form.auth-named-hint")},
			{storage.AuthOwnCertificate, texts.Say("apps.form.auth-own"), texts.Say("apps.form.auth-own-hint")},
		}),
	},
		uriInput(values, FieldCertificateName, texts.Say("apps.form.named"), texts.Say("apps.form.named-hint")),
		linesInput(values, FieldJWKS, texts.Say("apps.form.jwks"), texts.Say("apps.form.jwks-hint")),
		uriInput(values, FieldJWKSURI, texts.Say("apps.form.jwks-uri"), texts.Say("apps.form.jwks-uri-hint")),
		flagInput(values, FieldLegacyAudience, texts.Say("apps.form.legacy"), texts.Say("apps.form.legacy-hint")))
}

func algorithmInput(field string, label texts.Text, values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputChoice, Name: field, Label: label, Required: true,
		Options: options(values.Get(field), []choice{
			{"ES256", texts.Own("ES256"), texts.Say("apps.form.es256")},
			{"EdDSA", texts.Own("EdDSA"), texts.Say("apps.form.eddsa")},
			{"PS256", texts.Own("PS256"), texts.Say("apps.form.ps256")},
			{"RS256", texts.Own("RS256"), texts.Say("apps.form.rs256")},
		}),
	}
}

// securityOf reads the form's fields.
func securityOf(c storage.Client, values url.Values) SecurityChange {
	on := func(field string) *bool { return new(values.Get(field) == "on") }
	change := SecurityChange{
		AccessTokenAlg: new(values.Get(FieldAccessTokenAlg)),
		ProofNeeded:    on(FieldProofNeeded), CertificateNeeded: on(FieldCertificateNeeded),
	}
	if c.Type != storage.ClientService {
		change.IDTokenAlg = new(values.Get(FieldIDTokenAlg))
		change.RequirePushed, change.RequireSigned = on(FieldRequirePushed), on(FieldRequireSigned)
	}
	if c.Public() {
		return change
	}
	change.AuthMethod = new(values.Get(FieldAuthMethod))
	change.JWKS, change.JWKSURI = new(values.Get(FieldJWKS)), new(strings.TrimSpace(values.Get(FieldJWKSURI)))
	change.LegacyAudience = on(FieldLegacyAudience)
	change.NameCertificate(strings.TrimSpace(values.Get(FieldCertificateName)))
	return change
}
