package apps

import (
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Fields of a secret, and sources of its faults.
const (
	FieldLabel  = "label"
	FieldEndsAt = "ends_at"
)

const maxLabel = 100 // characters

// NewSecret is what a further secret is to be.
type NewSecret struct {
	Label      string    // what it is for; may be empty
	EndsAt     time.Time // when it stops working; zero: never
	DropOthers bool      // all others end at once, as after a leak
	Ends       []string  // of the others those that end at once
}

// ParseEnd reads when something ends: a time, or a day, which counts to its end in
// the zone. An empty text is no end. Invalid at FieldEndsAt.
func ParseEnd(text string, zone *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return day.AddDate(0, 0, 1), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fault.New(fault.Invalid, ReasonField, "The end must be a day, as in 2027-06-30.").At(FieldEndsAt)
	}
	return at, nil
}

func (s NewSecret) check(now time.Time) error {
	var faults fault.List
	if !isLine(s.Label) || len([]rune(s.Label)) > maxLabel {
		faults.Add(fault.Newf(fault.Invalid, ReasonField,
			"The label must be a text of at most %d characters in one line.", maxLabel).At(FieldLabel))
	}
	if !s.EndsAt.IsZero() && !s.EndsAt.After(now) {
		faults.Add(fault.New(fault.Invalid, ReasonField, "The end must be in the future.").At(FieldEndsAt))
	}
	return faults.Err()
}

// RotateSecret gives the client a further secret and returns it, for this once.
// The others stay good, so that every instance of the app can be moved over in
// its own time, unless the wanted one says otherwise. Invalid; Conflict
// (storage.ReasonSecretsFull) when as many as may live on, Invalid for a public
// client, NotFound.
func (a *Apps) RotateSecret(ctx context.Context, act storage.Act, id string, wanted NewSecret) (Created, error) {
	client, err := a.Find(ctx, id)
	if err != nil {
		return Created{}, err
	}
	if client.Public() {
		return Created{}, fault.Newf(fault.Invalid, ReasonPublicClient,
			"A %s client can't keep a secret, so it has none; it proves itself with PKCE.", client.Type)
	}
	wanted.Label = strings.TrimSpace(wanted.Label)
	if err := wanted.check(act.At); err != nil {
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
// works: the app could prove itself no longer. NotFound.
func (a *Apps) DeleteSecret(ctx context.Context, act storage.Act, client storage.Client, secretID string) error {
	if !slices.ContainsFunc(client.Secrets, func(s storage.ClientSecret) bool { return s.ID == secretID }) {
		return fault.New(fault.NotFound, "secret_not_found", "The app has no such secret.")
	}
	if !deletable(client, secretID, act.At) {
		return fault.New(fault.Conflict, "only_secret", "This is the app's only secret. Make a new one first.")
	}
	return a.store.DeleteClientSecret(ctx, act, client.ID, secretID)
}

// deletable reports whether another secret of the client works, or this one does not.
func deletable(client storage.Client, secretID string, now time.Time) bool {
	live := client.LiveSecrets(now)
	return len(live) != 1 || live[0].ID != secretID
}
