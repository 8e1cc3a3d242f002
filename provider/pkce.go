package provider

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"

	"github.com/ory/fosite"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

// pkceHandler holds a redemption to the challenge its code was issued with
// (RFC 7636). It stands before the framework's code handler and stops the
// request there; the framework's own PKCE handler forgets a challenge once a
// wrong verifier was tried.
type pkceHandler struct {
	store *grantStore
}

// A verifier is 43 to 128 unreserved characters (RFC 7636 section 4.1, S1
// section 8); a challenge is the base64url of 32 bytes.
var (
	verifierForm  = pattern.Of(`^[A-Za-z0-9._~-]{43,128}$`)
	challengeForm = pattern.Of(`^[A-Za-z0-9_-]{43}$`)
)

// PopulateTokenEndpointResponse has nothing to add.
func (h *pkceHandler) PopulateTokenEndpointResponse(context.Context, fosite.AccessRequester,
	fosite.AccessResponder) error {
	return nil
}

// HandleTokenEndpointRequest refuses a verifier that does not fit the code's
// challenge, in either direction (RFC 9700 section 4.8.2). Unknown and spent
// codes are left to the code handler.
func (h *pkceHandler) HandleTokenEndpointRequest(ctx context.Context, request fosite.AccessRequester) error {
	form := request.GetRequestForm()
	code, err := h.store.code(ctx, string(hashCode(form.Get("code"))), request.GetSession().(*session))
	if errors.Is(err, errUnknownCode) || err == nil && !code.SpentAt.IsZero() {
		return nil
	}
	if err != nil {
		return err // the code handler might find the row, and this check be passed over
	}
	refusal := checkVerifier(code.Challenge, form.Has("code_verifier"), form.Get("code_verifier"))
	if refusal == nil {
		return nil
	}
	act := h.store.provider.act(ctx, storage.Actor{Kind: storage.ActorClient, ID: code.ClientID})
	if err := h.store.provider.store.FailVerifier(ctx, act, code.Hash); err != nil {
		return err
	}
	return refusal
}

func checkVerifier(challenge string, sent bool, verifier string) error {
	switch {
	case challenge == "" && !sent:
		return nil
	case challenge == "":
		return fault.New(fault.Invalid, "invalid_grant",
			"A code_verifier came for a code that was requested without a code_challenge.")
	case !sent:
		return fault.New(fault.Invalid, "invalid_grant", "The code_verifier is missing.")
	case !verifierForm().MatchString(verifier):
		return fault.New(fault.Invalid, "invalid_grant",
			"The code_verifier must be 43 to 128 letters, digits, dots, dashes, underscores or tildes.")
	}
	sum := sha256.Sum256([]byte(verifier))
	expected := base64.RawURLEncoding.EncodeToString(sum[:])
	if subtle.ConstantTimeCompare([]byte(expected), []byte(challenge)) != 1 {
		return fault.New(fault.Invalid, "invalid_grant", "The code_verifier does not match the code_challenge.")
	}
	return nil
}
