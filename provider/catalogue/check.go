package catalogue

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/resources"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// ReasonField is the reason of the faults of a resource's fields.
const ReasonField = "invalid_field"

const (
	maxName     = 100
	maxClients  = 200
	maxLifetime = 24 * time.Hour
	maxAge      = 90 * 24 * time.Hour
)

// checked returns the resource with its key, and everything that is wrong with it.
// Clients that were named before may be gone.
func (c *Catalogue) checked(ctx context.Context, before, r storage.Resource) (storage.Resource, error) {
	var faults fault.List
	refuse := func(field, text string) { faults.Add(fault.New(fault.Invalid, ReasonField, text).At(field)) }
	var err error
	if r.Key, err = resources.Key(r.Identifier); err != nil {
		faults.Add(fault.From(err).Retold(fault.Invalid, ReasonField).At(FieldResource))
	}
	if r.Name = strings.TrimSpace(r.Name); r.Name == "" {
		r.Name = r.Identifier
	}
	if utf8.RuneCountInString(r.Name) > maxName && r.Name != r.Identifier ||
		strings.ContainsFunc(r.Name, unicode.IsControl) {
		refuse(FieldName, "The name must be one line of at most 100 characters.")
	}
	if len(r.Scopes) == 0 {
		refuse(FieldScope, "A resource has at least one scope: it is what people are asked about.")
	}
	if slices.ContainsFunc(r.Scopes, scope.Identity) {
		refuse(FieldScope, "Scopes about the person, such as openid, are of no resource.")
	}
	if !scope.Within(r.DefaultScopes, r.Scopes) {
		refuse(FieldDefault, "The default scopes must be among the scopes.")
	}
	if r.Algorithm != "" && !slices.Contains(clientprofile.AssertionAlgorithms(), r.Algorithm) {
		refuse(FieldAlgorithm, "The algorithm must be one of: PS256, ES256, EdDSA, RS256.")
	}
	if r.Lifetime < 0 || r.Lifetime > maxLifetime {
		refuse(FieldLifetime, "The lifetime must be from 1 to 86400 seconds, or 0 for the usual one.")
	}
	if r.MaxAge < 0 || r.MaxAge > maxAge {
		refuse(FieldMaxAge, "The age of a sign-in must be from 1 to 7776000 seconds, or 0 for any.")
	}
	if !slices.Contains([]string{"", storage.ACRPassword, storage.ACRTwoFactors}, r.ACR) {
		refuse(FieldACR, "How strongly people are proven must be urn:portico:acr:1, urn:portico:acr:2 or empty.")
	}
	faults.Add(c.checkClients(ctx, before, r))
	return r, faults.Err()
}

func (c *Catalogue) checkClients(ctx context.Context, before, r storage.Resource) error {
	var faults fault.List
	if len(r.Clients) > maxClients {
		faults.Add(fault.New(fault.Invalid, ReasonField, "At most 200 clients can be named.").At(FieldClients))
	}
	look := func(field, id string) {
		_, err := c.store.FindClient(ctx, id)
		if fault.Is(err, fault.NotFound) {
			err = fault.Newf(fault.Invalid, ReasonField, "There is no client %q.", id).At(field)
		}
		faults.Add(err)
	}
	for _, id := range r.Clients {
		if !slices.Contains(before.Clients, id) && len(faults) == 0 {
			look(FieldClients, id)
		}
	}
	if r.ClientID != "" && r.ClientID != before.ClientID {
		look(FieldClientID, r.ClientID)
	}
	return faults.Err()
}
