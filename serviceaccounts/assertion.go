package serviceaccounts

import (
	"context"
	"crypto"
	"errors"
	"log/slog"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/jwt"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

// reasonInvalidGrant is the token endpoint's word for a refused assertion
// (S1 7.2, RFC 7523 section 3.1).
const reasonInvalidGrant = "invalid_grant"

// maxAssertion bounds what is looked at at all, in bytes: 50 scopes of 2000
// characters and the other claims stay far below.
const maxAssertion = 8 << 10

// keepJTI is how long a jti is known beyond the assertion's exp: longer than
// the leeway, within which the assertion would be taken again.
const keepJTI = 2 * leeway

// The causes that are not in the claims.
const (
	causeNoKID       jwt.Cause = "the header has no kid"
	causeUnknownKey  jwt.Cause = "kid names no key"
	causeForeignKey  jwt.Cause = "kid names a key of another client's account"
	causeKeyDisabled jwt.Cause = "the key is disabled"
	causeKeyEnded    jwt.Cause = "the key has ended"
	causeAccount     jwt.Cause = "the service account is not enabled"
	causeReplay      jwt.Cause = "the jti was used before"
)

// VerifyAssertion judges an assertion that a client presents: all of S1 section
// 5 and decision T9 but whether it is new, which AcceptAssertion decides. A
// refusal is Invalid with reason invalid_grant; its cause is logged and comes
// to the audit trail.
func (a *Accounts) VerifyAssertion(ctx context.Context, act storage.Act, client storage.Client,
	assertion string) (storage.Assertion, error) {
	var key knownKey
	use := jwt.Use{
		Types: []string{jwt.TypeNone, jwt.TypePlain}, Algorithms: []string{signing.RS256}, Longest: maxAssertion,
		Key: func(ctx context.Context, header jwt.Header) (crypto.PublicKey, error) {
			found, err := a.keyOf(ctx, client.ID, header.KeyID, act.At)
			if err == nil {
				key = found
			}
			return found.public, err
		},
	}
	_, payload, err := use.Open(ctx, assertion)
	if err != nil {
		return storage.Assertion{}, a.refuse(ctx, act, key.AccountID, err)
	}
	said, err := readClaims(payload)
	if err == nil {
		err = said.judge(expected{clientID: client.ID, accountID: key.AccountID, audiences: a.audiences, now: act.At})
	}
	if err == nil {
		err = usable(key, a.shown(key.account, act.At), act.At)
	}
	if err != nil {
		return storage.Assertion{}, a.refuse(ctx, act, key.AccountID, err)
	}
	return said.assertion(client.ID, key), nil
}

// keyOf returns the key of one of the client's accounts, in any state.
func (a *Accounts) keyOf(ctx context.Context, clientID, kid string, now time.Time) (knownKey, error) {
	switch {
	case kid == "":
		return knownKey{}, causeNoKID
	case !httpio.IsText(kid):
		return knownKey{}, causeUnknownKey
	}
	key, err := a.known.find(ctx, kid, now)
	switch {
	case fault.Is(err, fault.NotFound):
		return knownKey{}, causeUnknownKey
	case err != nil:
		return knownKey{}, err
	case key.account.ClientID != clientID:
		return knownKey{}, causeForeignKey
	}
	return key, nil
}

// usable refuses what is not enabled. It comes after the signature: only who
// holds the key learns the state of the account.
func usable(key knownKey, account storage.ServiceAccount, now time.Time) error {
	switch {
	case account.Status != storage.ServiceAccountEnabled:
		return causeAccount
	case key.Status != storage.KeyEnabled:
		return causeKeyDisabled
	case !key.LiveAt(now):
		return causeKeyEnded
	}
	return nil
}

// assertion returns the claims as package storage speaks of them. They must
// have been judged.
func (c claims) assertion(clientID string, key knownKey) storage.Assertion {
	scopes, _ := c.scopes()
	assertion := storage.Assertion{
		ClientID: clientID, AccountID: key.AccountID, KID: key.KID, KeyEndsAt: key.EndsAt,
		ExpiresAt: c.ExpiresAt(), Scopes: scopes,
	}
	if c.ID != nil {
		assertion.JTI = *c.ID
	}
	return assertion
}

// AcceptAssertion spends the assertion's jti, if it has one, and notes the use
// of account and key. A jti that the client used before is refused as
// VerifyAssertion refuses: of any number of tries at once one wins.
func (a *Accounts) AcceptAssertion(ctx context.Context, act storage.Act, assertion storage.Assertion) error {
	if assertion.JTI != "" {
		err := a.store.SpendAssertionID(ctx, assertion.ClientID, assertion.JTI, assertion.ExpiresAt.Add(keepJTI))
		if fault.HasReason(err, storage.ReasonSpent) {
			return a.refuse(ctx, act, assertion.AccountID, causeReplay)
		}
		if err != nil {
			return err
		}
	}
	a.ledger.used(storage.ServiceAccountUse{
		AccountID: assertion.AccountID, KID: assertion.KID, At: act.At, ExpiresAt: act.At.Add(a.lifetime),
	})
	return nil
}

// refuse words a refusal for the wire (S1 7.2) and notes its cause where the
// client's owner and the operator look. An error that is no cause is our own.
func (a *Accounts) refuse(ctx context.Context, act storage.Act, accountID string, err error) error {
	why := jwt.Cause("")
	if !errors.As(err, &why) {
		return err
	}
	a.log.LogAttrs(ctx, slog.LevelInfo, "assertion refused",
		slog.String("request_id", act.RequestID), slog.String("client_id", act.Actor.ID),
		slog.String("service_account_id", accountID), slog.String("cause", string(why)))
	a.ledger.refused(act, accountID, why)
	text := "The assertion is invalid."
	if why == causeAccount {
		text = "The service account is not in an enabled state."
	}
	return fault.New(fault.Invalid, reasonInvalidGrant, text).Because(why)
}
