package serviceaccounts

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/term"
	"github.com/portico-id/portico/storage"
)

// Key is a key that has just been created.
type Key struct {
	KID     string
	Private sealing.Secret // PKCS#1 PEM; shown this once, never kept
}

// KeyFile is a key with all that a program needs to sign with it, as portico
// service-account token reads it.
type KeyFile struct {
	TokenURL         string `json:"token_url"`
	ClientID         string `json:"client_id"`
	ServiceAccountID string `json:"service_account_id"`
	KID              string `json:"kid"`
	PrivateKey       string `json:"private_key"` // PEM
}

// File returns the file of a new key.
func (a *Accounts) File(ref Ref, key Key) KeyFile {
	return KeyFile{TokenURL: a.audiences[0], ClientID: ref.ClientID, ServiceAccountID: ref.AccountID,
		KID: key.KID, PrivateKey: key.Private.Reveal()}
}

// Text is what stands in the file.
func (f KeyFile) Text() string {
	text, _ := json.MarshalIndent(f, "", "  ") // texts alone
	return string(text) + "\n"
}

// CreateKey adds a key to an account. Invalid for a term that can't be; NotFound; Conflict
// (storage.ReasonAccountDisabled) unless the account is enabled; TooMany
// (ReasonLimitExceeded) when it has as many keys as it may.
func (a *Accounts) CreateKey(ctx context.Context, act storage.Act, by Asker, ref Ref,
	wanted term.Term) (Key, error) {
	if err := wanted.Check(ReasonInvalidRequest, act.At); err != nil {
		return Key{}, err
	}
	account, err := a.roomForKey(ctx, act, by, ref)
	if err != nil {
		return Key{}, err
	}
	pair, err := a.keys.take(ctx, func() error {
		_, err := a.roomForKey(ctx, act, by, ref)
		return err
	})
	if err != nil {
		return Key{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(&pair.PublicKey)
	if err != nil {
		return Key{}, err
	}
	kid := a.ambient.UUID()
	err = a.store.AddServiceAccountKey(ctx, act, storage.ServiceAccountKey{
		KID: kid, AccountID: account.ID, Public: public, Status: storage.KeyEnabled, CreatedAt: act.At,
		Label: wanted.Label, EndsAt: wanted.EndsAt,
	})
	if err != nil {
		return Key{}, err
	}
	return Key{KID: kid, Private: privatePEM(pair)}, nil
}

// roomForKey refuses early what the store would refuse: a key pair costs a
// tenth of a second, and nobody shall have us make one for nothing.
func (a *Accounts) roomForKey(ctx context.Context, act storage.Act, by Asker, ref Ref) (storage.ServiceAccount, error) {
	account, err := a.enabled(ctx, act, by, ref)
	if err != nil {
		return account, err
	}
	keys, err := a.store.ListServiceAccountKeys(ctx, account.ID)
	if err == nil && len(keys) >= storage.MaxServiceAccountKeys {
		err = fault.Newf(fault.TooMany, ReasonLimitExceeded, "A service account has at most %d keys.",
			storage.MaxServiceAccountKeys)
	}
	return account, err
}

// enabled returns the account for an operation on its keys, which needs it to
// be enabled (S1 section 3).
func (a *Accounts) enabled(ctx context.Context, act storage.Act, by Asker, ref Ref) (storage.ServiceAccount, error) {
	account, err := a.reach(ctx, by, ref)
	if err == nil && a.shown(account, act.At).Status != storage.ServiceAccountEnabled {
		err = fault.New(fault.Conflict, storage.ReasonAccountDisabled,
			"The service account is not currently in an enabled state.")
	}
	return account, err
}

// privatePEM writes the private key as existing clients read it (decision
// SA10).
func privatePEM(pair *rsa.PrivateKey) sealing.Secret {
	block := pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(pair)}
	return sealing.Secret(pem.EncodeToMemory(&block))
}

// ListKeys returns the account's keys, oldest first. NotFound; Conflict as
// CreateKey.
func (a *Accounts) ListKeys(ctx context.Context, act storage.Act, by Asker,
	ref Ref) ([]storage.ServiceAccountKey, error) {
	account, err := a.enabled(ctx, act, by, ref)
	if err != nil {
		return nil, err
	}
	keys, err := a.store.ListServiceAccountKeys(ctx, account.ID)
	for i := range keys {
		keys[i] = a.ledger.overlayKey(keys[i])
	}
	return keys, err
}

// SetKeyStatus enables or disables a key. NotFound for account or key; Conflict
// as CreateKey; Invalid when the state can't be wanted or is reached already.
func (a *Accounts) SetKeyStatus(ctx context.Context, act storage.Act, by Asker, ref Ref, kid string,
	want storage.KeyStatus) error {
	defer a.known.forget()
	for range attempts {
		key, err := a.key(ctx, act, by, ref, kid)
		if err != nil {
			return err
		}
		next, err := keyTransition(key.Status, want)
		if err != nil {
			return err
		}
		err = a.store.SetServiceAccountKeyStatus(ctx, act, key, next)
		if !fault.HasReason(err, storage.ReasonStatusMoved) {
			return err
		}
	}
	return busy()
}

// key returns the key of an enabled account.
func (a *Accounts) key(ctx context.Context, act storage.Act, by Asker, ref Ref,
	kid string) (storage.ServiceAccountKey, error) {
	account, err := a.enabled(ctx, act, by, ref)
	if err != nil {
		return storage.ServiceAccountKey{}, err
	}
	key, _, err := a.store.FindServiceAccountKey(ctx, kid)
	if fault.Is(err, fault.NotFound) || err == nil && key.AccountID != account.ID {
		return storage.ServiceAccountKey{}, fault.New(fault.NotFound, "", "The key was not found.").Because(err)
	}
	return key, err
}

// DeleteKey removes a key; tokens that came from it end with it. NotFound for
// account or key; Conflict as CreateKey.
func (a *Accounts) DeleteKey(ctx context.Context, act storage.Act, by Asker, ref Ref, kid string) error {
	defer a.known.forget()
	key, err := a.key(ctx, act, by, ref, kid)
	if err != nil {
		return err
	}
	return a.store.DeleteServiceAccountKey(ctx, act, key.AccountID, key.KID)
}
