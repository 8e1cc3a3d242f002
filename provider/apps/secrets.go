package apps

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/storage"
)

// NewSecret is what a further secret is to be.
type NewSecret struct {
	term.Term
	DropOthers bool     // all others end at once, as after a leak
	Ends       []string // of the others those that end at once
}

// RotateSecret gives the client a further secret and returns it, for this once.
// The others stay good, so that every instance of the app can be moved over in
// its own time, unless the wanted one says otherwise. Invalid; Conflict
// (storage.ReasonSecretsFull) when as many as may live on, Invalid for a client that
// proves itself by none, NotFound.
func (a *Apps) RotateSecret(ctx context.Context, act storage.Act, id string, wanted NewSecret) (Created, error) {
	client, err := a.Find(ctx, id)
	if err != nil {
		return Created{}, err
	}
	if client.Public() {
		return Created{}, fault.Newf(fault.Invalid, ReasonPublicClient,
			"A %s client can't keep a secret, so it has none; it proves itself with PKCE.", client.Type)
	}
	if !client.BySecret() {
		return Created{}, fault.New(fault.Invalid, ReasonNotForType,
			"The app proves itself by its key or certificate, so a secret would prove nothing.")
	}
	wanted.Label = strings.TrimSpace(wanted.Label)
	if err := wanted.Check(ReasonField, act.At); err != nil {
		return Created{}, err
	}
	if wanted.DropOthers {
		for _, old := range client.Secrets {
			wanted.Ends = append(wanted.Ends, old.ID)
		}
	}
	plain, secret := a.newSecret(act, wanted)
	if err := a.store.AddClientSecret(ctx, act, id, secret, wanted.Ends...); err != nil {
		return Created{}, named(err, id)
	}
	client, err = a.Find(ctx, id)
	return Created{Client: client, Secret: plain}, err
}

func (a *Apps) newSecret(act storage.Act, wanted NewSecret) (plain string, secret storage.ClientSecret) {
	plain = a.ambient.Token()
	hash := sha256.Sum256([]byte(plain))
	return plain, storage.ClientSecret{ID: a.ambient.UID(), Hash: slices.Clone(hash[:]), CreatedAt: act.At,
		Label: wanted.Label, EndsAt: wanted.EndsAt}
}

// DeleteSecret ends one secret of the client within a second. Conflict when no other
// works by which the app proves itself: it could do so no longer. NotFound.
func (a *Apps) DeleteSecret(ctx context.Context, act storage.Act, client storage.Client, secretID string) error {
	if !slices.ContainsFunc(client.Secrets, func(s storage.ClientSecret) bool { return s.ID == secretID }) {
		return fault.New(fault.NotFound, "secret_not_found", "The app has no such secret.")
	}
	if !deletable(client, secretID, act.At) {
		return fault.New(fault.Conflict, "only_secret", "This is the app's only secret. Make a new one first.")
	}
	return a.store.DeleteClientSecret(ctx, act, client.ID, secretID)
}

// deletable reports whether another secret of the client works, or this one does not: by
// none of them, where it proves itself by its key or certificate.
func deletable(client storage.Client, secretID string, now time.Time) bool {
	live := client.LiveSecrets(now)
	return !client.BySecret() || len(live) != 1 || live[0].ID != secretID
}
