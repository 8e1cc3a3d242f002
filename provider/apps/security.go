package apps

import (
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Security is storage.ClientSecurity as the administration API and the command
// line tell it. Names follow RFC 7591 and OpenID Connect Registration where they
// have one.
type Security struct {
	IDTokenAlg     string `json:"id_token_signed_response_alg"`
	AccessTokenAlg string `json:"access_token_signed_response_alg"`
}

// SecurityOf returns what is told of the client.
func SecurityOf(c storage.Client) Security { return Security(settled(c.ClientSecurity)) }

// SecurityChange says what of it is to be different; nil leaves a field alone.
type SecurityChange struct {
	IDTokenAlg     *string `json:"id_token_signed_response_alg"`
	AccessTokenAlg *string `json:"access_token_signed_response_alg"`
}

func (c SecurityChange) applied(s storage.ClientSecurity) storage.ClientSecurity {
	replace(&s.IDTokenAlg, c.IDTokenAlg)
	replace(&s.AccessTokenAlg, c.AccessTokenAlg)
	return s
}

// settled writes out what an empty field means.
func settled(s storage.ClientSecurity) storage.ClientSecurity {
	for _, algorithm := range []*string{&s.IDTokenAlg, &s.AccessTokenAlg} {
		if *algorithm == "" {
			*algorithm = clientprofile.RS256
		}
	}
	return s
}

// checkSecurity holds the client to the algorithms of its profile.
func checkSecurity(c storage.Client) error {
	var faults fault.List
	allowed := clientprofile.Of(c).SigningAlgorithms()
	for _, chosen := range []struct{ field, algorithm string }{
		{FieldIDTokenAlg, c.IDTokenAlg}, {FieldAccessTokenAlg, c.AccessTokenAlg},
	} {
		if !slices.Contains(allowed, chosen.algorithm) {
			faults.Add(fault.Newf(fault.Invalid, ReasonField, "Tokens of a client of the profile %s are signed with: %s.",
				c.Profile, strings.Join(allowed, ", ")).At(chosen.field))
		}
	}
	return faults.Err()
}

// securityInputs are the fields for what the client's profile leaves open.
func securityInputs(c storage.Client, values url.Values) []templates.Input {
	inputs := []templates.Input{algorithmInput(FieldAccessTokenAlg, texts.Say("apps.form.sign-access"), values)}
	if c.Type != storage.ClientService {
		inputs = append(inputs, algorithmInput(FieldIDTokenAlg, texts.Say("apps.form.sign-id"), values))
	}
	return inputs
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
	change := SecurityChange{AccessTokenAlg: new(values.Get(FieldAccessTokenAlg))}
	if c.Type != storage.ClientService {
		change.IDTokenAlg = new(values.Get(FieldIDTokenAlg))
	}
	return change
}
