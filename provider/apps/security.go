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
	inputs := []templates.Input{algorithmInput(FieldAccessTokenAlg, "Sign access tokens with", values)}
	if c.Type != storage.ClientService {
		inputs = append(inputs, algorithmInput(FieldIDTokenAlg, "Sign ID tokens with", values))
	}
	return inputs
}

func algorithmInput(field, label string, values url.Values) templates.Input {
	return templates.Input{
		Kind: templates.InputChoice, Name: field, Label: texts.Own(label), Required: true,
		Options: options(values.Get(field), [][3]string{
			{"ES256", "ES256", "Short and quick. What most libraries of today can check."},
			{"EdDSA", "EdDSA", "Short and quick, for libraries that know Ed25519."},
			{"PS256", "PS256", "RSA with modern padding."},
			{"RS256", "RS256", "What every library can check. Apps of the profile Platform have no other."},
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
