package serviceaccounts

import (
	"context"
	"errors"
	"log/slog"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/fault"
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
	causeForm        cause = "it is not a JWT signed with RS256"
	causeNoKID       cause = "the header has no kid"
	causeUnknownKey  cause = "kid names no key"
	causeForeignKey  cause = "kid names a key of another client's account"
	causeSignature   cause = "the signature is not that of the key"
	causeKeyDisabled cause = "the key is disabled"
	causeAccount     cause = "the service account is not enabled"
	causeReplay      cause = "the jti was used before"
)

// VerifyAssertion judges an assertion that a client presents: all of S1 section
// 5 and decision T9 but whether it is new, which AcceptAssertion decides. A
// refusal is Invalid with reason invalid_grant; its cause is logged and comes
// to the audit trail.
func (a *Accounts) VerifyAssertion(ctx context.Context, act storage.Act, client storage.Client, assertion string) (storage.Assertion, error) {
	signed, kid, err := parse(assertion)
	if err != nil {
		return storage.Assertion{}, a.refuse(ctx, act, "", err)
	}
	key, err := a.known.find(ctx, kid, act.At)
	if fault.Is(err, fault.NotFound) {
		return storage.Assertion{}, a.refuse(ctx, act, "", causeUnknownKey)
	}
	if err != nil {
		return storage.Assertion{}, err
	}
	if key.account.ClientID != client.ID {
		return storage.Assertion{}, a.refuse(ctx, act, "", causeForeignKey)
	}
	said, err := open(signed, key, expected{
		clientID: client.ID, accountID: key.AccountID, audiences: a.audiences, now: act.At,
	})
	if err == nil {
		err = usable(key, a.shown(key.account, act.At))
	}
	if err != nil {
		return storage.Assertion{}, a.refuse(ctx, act, key.AccountID, err)
	}
	return said.assertion(client.ID, key), nil
}

// parse reads the compact form and its header.
func parse(text string) (*jose.JSONWebSignature, string, error) {
	signed, err := signing.ParseCompact(text, maxAssertion, jose.RS256)
	if err != nil {
		return nil, "", causeForm
	}
	kid := signed.Signatures[0].Header.KeyID
	if kid == "" {
		return nil, "", causeNoKID
	}
	if !httpio.IsText(kid) {
		return nil, "", causeUnknownKey
	}
	return signed, kid, nil
}

// open checks the signature and then what it vouches for.
func open(signed *jose.JSONWebSignature, key knownKey, want expected) (claims, error) {
	payload, err := signed.Verify(key.public)
	if err != nil {
		return claims{}, causeSignature
	}
	said, err := readClaims(payload)
	if err != nil {
		return claims{}, err
	}
	return said, said.judge(want)
}

// usable refuses what is not enabled. It comes after the signature: only who
// holds the key learns the state of the account.
func usable(key knownKey, account storage.ServiceAccount) error {
	switch {
	case account.Status != storage.ServiceAccountEnabled:
		return causeAccount
	case key.Status != storage.KeyEnabled:
		return causeKeyDisabled
	}
	return nil
}

// assertion returns the claims as package storage speaks of them. They must
// have been judged.
func (c claims) assertion(clientID string, key knownKey) storage.Assertion {
	scopes, _ := c.scopes()
	assertion := storage.Assertion{
		ClientID: clientID, AccountID: key.AccountID, KID: key.KID,
		ExpiresAt: c.expiresAt(), Scopes: scopes,
	}
	if c.JTI != nil {
		assertion.JTI = *c.JTI
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
	why := cause("")
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
