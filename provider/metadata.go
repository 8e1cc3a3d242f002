package provider

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/provider/scope"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// discovery is the provider's description of itself (S1 2.8, decision D1): all
// that works is listed, all that is listed works.
func (p *Provider) discovery() map[string]any {
	var grants []string
	for _, g := range grantTypes {
		if g.offeredBy(p) {
			grants = append(grants, g.name)
		}
	}
	authMethods := []string{"client_secret_basic", "client_secret_post", "private_key_jwt", "none"}
	assertionAlgs := clientprofile.AssertionAlgorithms()
	said := map[string]any{
		"issuer":                                p.issuer,
		"authorization_endpoint":                p.issuer + authorizePath,
		"token_endpoint":                        p.issuer + TokenPath,
		"pushed_authorization_request_endpoint": p.issuer + pushPath,
		"require_pushed_authorization_requests": false,
		"device_authorization_endpoint":         p.issuer + deviceCallPath,
		"userinfo_endpoint":                     p.issuer + userInfoPath,
		"jwks_uri":                              p.issuer + keysPath,
		"revocation_endpoint":                   p.issuer + revokePath,
		"revoke_endpoint":                       p.issuer + revokePath,
		"introspection_endpoint":                p.issuer + introspectPath,
		"end_session_endpoint":                  p.issuer + logoutPath,
		"scopes_supported":                      scope.All(),
		"response_types_supported":              []string{"code", "code id_token", "id_token"},
		"response_modes_supported": []string{"fragment", "form_post", "query", "jwt", "fragment.jwt",
			"form_post.jwt", "query.jwt"},
		"grant_types_supported":                 grants,
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": signing.Algorithms(),
		"code_challenge_methods_supported":      []string{"S256"},
		"prompt_values_supported":               []string{"login", "none", "consent", "select_account"},
		"acr_values_supported":                  []string{storage.ACRPassword, storage.ACRTwoFactors},
		"claims_supported":                      claimsSupported(),
		"claims_parameter_supported":            true,
		"request_parameter_supported":           true,
		"require_signed_request_object":         false,
		"request_uri_parameter_supported":       false, // its default is true
		"ui_locales_supported":                  texts.Tags(),

		"token_endpoint_auth_methods_supported":          authMethods,
		"revocation_endpoint_auth_methods_supported":     authMethods,
		"introspection_endpoint_auth_methods_supported":  authMethods,
		"authorization_response_iss_parameter_supported": true,

		"token_endpoint_auth_signing_alg_values_supported":         assertionAlgs,
		"revocation_endpoint_auth_signing_alg_values_supported":    assertionAlgs,
		"introspection_endpoint_auth_signing_alg_values_supported": assertionAlgs,

		"dpop_signing_alg_values_supported": strings.Fields(httpio.ProofAlgorithms),

		"request_object_signing_alg_values_supported": assertionAlgs,
		"authorization_signing_alg_values_supported":  signing.Algorithms(),
		"introspection_signing_alg_values_supported":  signing.Algorithms(),

		"backchannel_logout_supported":         true,
		"backchannel_logout_session_supported": true,
	}
	said["identity_chaining_requested_token_types_supported"] = []string{typeIntroduction}
	if assertionGrant.offeredBy(p) {
		said["authorization_grant_profiles_supported"] = []string{"urn:ietf:params:oauth:grant-profile:id-jag"}
	}
	p.certificates.describe(said, p.issuer)
	return said
}

func claimsSupported() []string {
	return []string{
		"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash", "c_hash",
		"name", "given_name", "family_name", "preferred_username", "profile", "picture", "locale", "updated_at",
		"middle_name", "nickname", "website", "gender", "birthdate", "zoneinfo",
		"email", "email_verified", "address", "phone_number", "phone_number_verified", "groups",
		"is_2fa_enabled", "country_code", "ldap_enabled", "ldap_domain", "job_title", "industry", "industry_code",
		"about_me", "language", "company", "created_date", "last_login_date", "eidm_guid", "opt_in",
		"social_userinfo_list", "thumbnails",
	}
}

// showMetadata serves the provider's description at both well-known paths.
func (p *Provider) showMetadata(w http.ResponseWriter, r *http.Request) error {
	said, err := p.metadata.document()
	if err != nil {
		return err
	}
	said.serve(w, r)
	return nil
}

// showKeys serves GET of keysPath (S1 2.7, decision D2).
func (p *Provider) showKeys(w http.ResponseWriter, r *http.Request) error {
	body, etag := p.keys.KeySetDocument(r.Context())
	document{body, etag}.serve(w, r)
	return nil
}
