package clientprofile

import (
	"slices"

	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
)

// Response types, modes and the one challenge method.
const (
	ResponseCode        = "code"
	ResponseIDToken     = "id_token"
	ResponseCodeIDToken = "code id_token"

	ModeQuery    = "query"
	ModeFragment = "fragment"
	ModeFormPost = "form_post"

	ModeJWT    = "jwt"  // signed, in the mode of the response type
	ModeSigned = ".jwt" // behind one of the others

	MethodS256 = "S256"
)

// ResponseTypes returns the response types the client may ask authorize for:
// code for every type that signs people in, those with an ID token for clients
// registered for openid that did not register themselves.
func ResponseTypes(client storage.Client) []string {
	switch client.Type {
	case storage.ClientWeb, storage.ClientNative, storage.ClientSPA:
	default:
		return nil
	}
	if slices.Contains(client.Scopes, scope.OpenID) && !Of(client).CodeOnly() && client.Origin == "" {
		return []string{ResponseCode, ResponseIDToken, ResponseCodeIDToken}
	}
	return []string{ResponseCode}
}

// PKCERequired reports whether the client's authorize requests need a
// code_challenge: always for public clients (RFC 9700 section 2.1.1), for
// others when they were registered so or registered themselves.
func PKCERequired(client storage.Client) bool {
	return client.Public() || client.RequirePKCE || client.Origin != "" || Of(client).NeedsPKCE()
}
