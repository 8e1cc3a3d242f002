package apps

import (
	"context"
	"slices"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// ClaimJSON is a line of what an app is told, in the API and on the command line.
type ClaimJSON = clientprofile.Claim

func claimsOf(c storage.Client) []ClaimJSON {
	claims, _ := clientprofile.ReadClaims(c.OwnClaims) // judged when they were set
	return append([]ClaimJSON{}, claims...)
}

// AddClaim lets the client be told something beside the usual claims. Errors as
// Update.
func (a *Apps) AddClaim(ctx context.Context, act storage.Act, client storage.Client, claim ClaimJSON) error {
	return a.setClaims(ctx, act, client, append(claimsOf(client), claim))
}

// DeleteClaim ends that, for all lines that fit in what they say. NotFound when
// none does.
func (a *Apps) DeleteClaim(ctx context.Context, act storage.Act, client storage.Client,
	fits func(ClaimJSON) bool) error {
	claims := claimsOf(client)
	left := slices.DeleteFunc(slices.Clone(claims), fits)
	if len(left) == len(claims) {
		return noSuchClaim()
	}
	return a.setClaims(ctx, act, client, left)
}

func noSuchClaim() *fault.Error {
	return fault.New(fault.NotFound, clientprofile.ReasonClaim, "The app has no such claim.")
}

func (a *Apps) setClaims(ctx context.Context, act storage.Act, client storage.Client, claims []ClaimJSON) error {
	_, err := a.Update(ctx, act, client.ID, Change{OwnClaims: new(clientprofile.Claims(claims)), ByAdministrator: true})
	return err
}
