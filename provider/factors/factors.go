// Package factors is what people prove with who they are, beside their password:
// an authenticator app, passkeys, and recovery codes for when those are lost; the
// pages of it, and /admin/v1/users/…/second-factor for administrators.
//
// Pages, API and command line go through the same rules, so that they cannot
// drift. When a sign-in asks for a factor is package provider's business, which
// calls Prove and ProvePasskey. Start with Enrol and Prove; totp.go is the codes,
// passkeys.go the passkeys, pages.go the person's pages, desk.go the
// administrator's.
package factors

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/internal/webauthn"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Reasons of the faults, beside those of the store.
const (
	ReasonWrongCode    = "wrong_code"
	ReasonWrongPasskey = "wrong_passkey"
	ReasonNoLabel      = "label_missing"
	ReasonNone         = "factor_not_found"
	ReasonNoUser       = "user_not_found"
	ReasonTooMany      = "too_many_codes"
)

// Fields of the forms, and sources of the faults.
const (
	FieldCode    = "code"
	FieldPasskey = "passkey"
	FieldLabel   = "label"
)

// Store is what factors keep and look up.
type Store interface {
	storage.FactorStore
	storage.TryStore

	// Of storage.FormStore, storage.UserStore and storage.AuditStore.
	TakeForm(ctx context.Context, key []byte, at time.Time) (storage.SentForm, bool, error)
	FindUser(ctx context.Context, id string) (storage.User, error)
	RecordAudit(ctx context.Context, event storage.AuditEvent) error
}

// Options are what Factors are made of. Every field is needed.
type Options struct {
	Store   Store
	Ambient *ambient.Source
	Ring    *sealing.Ring

	BaseURL string        // where mails lead, and whose passkeys are
	Name    func() string // what authenticator apps call the server at the moment

	// Mail makes a mail to a user of a letter.
	Mail func(userID, to string, letter templates.Letter) storage.Mail
}

// Factors gives people a second factor, takes it away and asks for it. It is safe
// for concurrent use.
type Factors struct {
	with  Options
	party webauthn.Party
	keeps bool // browsers keep passkeys for the party
}

// New returns Factors over the store.
func New(o Options) *Factors {
	party, keeps := webauthn.PartyAt(o.BaseURL)
	return &Factors{o, party, keeps}
}

const secretLabel = "authenticator"

// Sealed are the labels under which something is kept.
func Sealed() map[storage.SealedColumn][]string {
	return map[storage.SealedColumn][]string{storage.SealedAuthenticators: {secretLabel}}
}

// Find returns what the user has.
func (f *Factors) Find(ctx context.Context, userID string) (storage.Factors, error) {
	return f.with.Store.FindFactors(ctx, userID)
}

var errNone = fault.New(fault.NotFound, ReasonNone, "There is no second factor.")

func none(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errNone.Because(err)
	}
	return err
}

// letter tells the user what became of a factor of theirs.
func (f *Factors) letter(act storage.Act, user storage.User, kind string, factor texts.Text) storage.Mail {
	return f.with.Mail(user.ID, user.Email, templates.Letter{
		Kind: kind, Name: user.Profile.Name, Email: user.Email, URL: f.with.BaseURL, At: act.At, Factor: factor,
		Languages: act.LanguagesOf(user), Zone: user.Profile.Zone,
	})
}

// Guesses at codes: ten at once, and then one every five minutes. Of a million
// codes three are good at a time.
const (
	tryBurst = 10
	tryEvery = 5 * time.Minute
	tryLabel = "factor try"
)

// count counts a try at the user's factor, or is TooMany.
func (f *Factors) count(ctx context.Context, userID string) (key []byte, err error) {
	key = f.with.Ring.MAC(tryLabel, []byte(userID))
	counted, err := f.with.Store.CountTry(ctx, key, f.with.Ambient.Now(), tryBurst, tryEvery)
	if err == nil && !counted {
		err = fault.New(fault.TooMany, ReasonTooMany,
			"There were too many tries. Wait five minutes, then try again.").At(FieldCode).After(tryEvery)
	}
	return key, err
}

// Prove uses up a code of the user's authenticator, or notes in the proof a recovery code, which
// the session uses up that starts. Invalid (ReasonWrongCode) for one that is wrong or was used;
// TooMany; NotFound (ReasonNone).
func (f *Factors) Prove(ctx context.Context, act storage.Act, userID, typed string, proof *storage.Proof) error {
	key, err := f.count(ctx, userID)
	if err != nil {
		return err
	}
	has, err := f.Find(ctx, userID)
	if err != nil {
		return err
	}
	if has.Authenticator.UserID == "" && len(has.Passkeys) == 0 {
		return errNone
	}
	err = f.spend(ctx, act.At, userID, has.Authenticator, textkey.Code(typed), proof)
	if fault.HasReason(err, storage.ReasonSpent) {
		return f.refused(ctx, act, userID, wrongCode().Because(err))
	}
	if err != nil {
		return err
	}
	return f.with.Store.ForgetTries(ctx, key)
}

// refused notes the refusal, which it returns.
func (f *Factors) refused(ctx context.Context, act storage.Act, userID string, refusal *fault.Error) error {
	err := f.with.Store.RecordAudit(ctx, storage.AuditEvent{Act: act, Kind: "user.factor_refused", Subject: userID})
	if err != nil {
		return err
	}
	return refusal
}

func wrongCode() *fault.Error {
	return fault.New(fault.Invalid, ReasonWrongCode,
		"The code is not right, or it was used before. Wait for the next one and type that.").At(FieldCode)
}

func noCode() error { return fault.New(fault.Gone, storage.ReasonSpent, "There is no such code.") }

// spend is Gone (storage.ReasonSpent) for what is no code.
func (f *Factors) spend(ctx context.Context, at time.Time, userID string, a storage.Authenticator, code string,
	proof *storage.Proof) error {
	if len(code) != digits || a.UserID == "" {
		proof.Recovery = hashOf(userID, code)
		has, err := f.with.Store.HasRecoveryCode(ctx, userID, proof.Recovery)
		if err == nil && !has {
			err = noCode()
		}
		return err
	}
	secret, _, err := f.with.Ring.Open(secretLabel, a.Secret, []byte(a.UserID))
	if err != nil {
		return err
	}
	step, ok := stepOf(secret, code, at)
	if !ok {
		return noCode()
	}
	return f.with.Store.SpendStep(ctx, a.UserID, step)
}

// Recovery codes: 80 random bits each, which need no slow hash.
const (
	codeCount = 10
	codeBytes = 10
)

func (f *Factors) newCodes(userID string) (codes []string, hashes [][]byte) {
	for range codeCount {
		code := text(f.with.Ambient.Bytes(codeBytes))
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:12]+"-"+code[12:])
		hashes = append(hashes, hashOf(userID, code))
	}
	return codes, hashes
}

func hashOf(userID, code string) []byte {
	sum := sha256.Sum256([]byte(userID + "\x00" + code))
	return sum[:]
}

// NewCodes voids the user's recovery codes and returns others; all their sessions
// but keepSession end, and all tokens. NotFound (ReasonNone).
func (f *Factors) NewCodes(ctx context.Context, act storage.Act, user storage.User,
	keepSession string) ([]string, error) {
	codes, hashes := f.newCodes(user.ID)
	act.Mails = append(act.Mails, f.letter(act, user, templates.LetterFactorAdded, texts.Say("security.codes")))
	return codes, none(f.with.Store.ReplaceRecoveryCodes(ctx, act, user.ID, hashes, keepSession))
}

// RemoveAuthenticator takes the user's own authenticator away; all their sessions
// but keepSession end, and all tokens. NotFound (ReasonNone).
func (f *Factors) RemoveAuthenticator(ctx context.Context, act storage.Act, user storage.User,
	keepSession string) error {
	act.Mails = append(act.Mails, f.letter(act, user, templates.LetterFactorRemoved, texts.Say("security.authenticator")))
	return none(f.with.Store.RemoveAuthenticator(ctx, act, user.ID, keepSession))
}

// RemoveLost takes all factors of somebody else away, who can't use them any more:
// all their sessions and tokens end, and they are told. NotFound (ReasonNone).
func (f *Factors) RemoveLost(ctx context.Context, act storage.Act, user storage.User) error {
	act.Mails = append(act.Mails, f.letter(act, user, templates.LetterFactorRemoved, texts.Say("security.all")))
	return none(f.with.Store.RemoveFactors(ctx, act, user.ID))
}

// Claimed returns the act with a mail that tells the user that everything goes by which one
// signed in to their account until now, as the upstream vouches for whom it is.
func (f *Factors) Claimed(act storage.Act, user storage.User, upstream string) storage.Act {
	act.Mails = append(act.Mails, f.letter(act, user, templates.LetterFactorRemoved,
		texts.Say("security.claimed", "Name", upstream)))
	return act
}

// Connected returns the act with a mail that tells the user that they sign in by an account at
// the upstream, too, or not any more.
func (f *Factors) Connected(act storage.Act, user storage.User, upstream string, now bool) storage.Act {
	kind := templates.LetterFactorRemoved
	if now {
		kind = templates.LetterFactorAdded
	}
	act.Mails = append(act.Mails, f.letter(act, user, kind, texts.Say("security.connected", "Name", upstream)))
	return act
}
