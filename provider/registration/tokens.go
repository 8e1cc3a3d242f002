package registration

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// The fields of an initial token.
const (
	FieldLabel = "label"
	FieldUses  = "uses"
	FieldDays  = "days"
)

// Limits of the fields.
const (
	maxLabel = 100
	maxUses  = 10_000
	maxDays  = 365
)

// What a token is for, and how long it lasts, unless it is said.
const (
	SomeUses = 1
	SomeDays = 7
)

// Reasons of the faults of initial tokens.
const (
	ReasonField   = "invalid_field"
	ReasonNoToken = "token_not_found"
)

// TokenPrefix is what initial tokens begin with.
const TokenPrefix = "register_"

// AddToken makes an initial token for so many clients, that lasts so many days. It
// returns the token with its text, which nobody can read again.
// Invalid; Conflict (storage.ReasonTokensFull).
func (r *Registrar) AddToken(ctx context.Context, act storage.Act, label string, uses, days int) (storage.InitialToken,
	string, error) {
	label = strings.TrimSpace(label)
	if err := checkToken(label, uses, days); err != nil {
		return storage.InitialToken{}, "", err
	}
	text := TokenPrefix + r.with.Ambient.Token()
	token := storage.InitialToken{ID: r.with.Ambient.UID(), Label: label, Hash: hashed(text), UsesLeft: uses,
		CreatedAt: act.At, EndsAt: act.At.Add(time.Duration(days) * 24 * time.Hour)}
	return token, text, r.with.Store.AddInitialToken(ctx, act, token)
}

func checkToken(label string, uses, days int) error {
	var faults fault.List
	if label == "" || !utf8.ValidString(label) || utf8.RuneCountInString(label) > maxLabel ||
		strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsPrint(r) }) {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "The label must be a text of 1 to %d characters in one line.",
			maxLabel).At(FieldLabel))
	}
	if uses < 1 || uses > maxUses {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "A token is for 1 to %d clients.", maxUses).At(FieldUses))
	}
	if days < 1 || days > maxDays {
		faults.Add(fault.Newf(fault.Invalid, ReasonField, "A token lasts 1 to %d days.", maxDays).At(FieldDays))
	}
	return faults.Err()
}

// Tokens returns the initial tokens, oldest first.
func (r *Registrar) Tokens(ctx context.Context) ([]storage.InitialToken, error) {
	return r.with.Store.ListInitialTokens(ctx)
}

// EndToken ends an initial token; the clients that came with it stay. NotFound.
func (r *Registrar) EndToken(ctx context.Context, act storage.Act, id string) error {
	err := r.with.Store.DeleteInitialToken(ctx, act, id)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.NotFound, ReasonNoToken, "There is no such token.").Because(err)
	}
	return err
}
