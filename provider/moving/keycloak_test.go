package moving_test

import (
	"io"
	"strings"
	"testing"

	"github.com/portico-id/portico/provider/moving"
)

// Keycloak takes an empty list for "+", beside which others may stand, and before 19 there was none to fill in.
//
// Rule: MOVE-5
func TestWhereKeycloakSaysNothingOfSigningOutPeopleComeBackToWhereTheySignIn(t *testing.T) {
	const same = `"post_logout_redirect_uris":["https://app.example.test/cb"]`
	for said, want := range map[string]string{
		``: same,
		`"attributes":{"post.logout.redirect.uris":""},`:     same,
		`"attributes":{"post.logout.redirect.uris":"+"},`:    same,
		`"attributes":{"post.logout.redirect.uris":"-"},`:    "",
		`"attributes":{"post.logout.redirect.uris":"/bye"},`: `"post_logout_redirect_uris":["https://app.example.test/bye"]`,
		`"attributes":{"post.logout.redirect.uris":"+##/bye##"},`: `"post_logout_redirect_uris":["https://app.example.test/cb",` +
			`"https://app.example.test/bye"]`,
	} {
		export := `{"realm":"r","clients":[{"clientId":"app","enabled":true,"standardFlowEnabled":true,` + said +
			`"rootUrl":"https://app.example.test","secret":"s","redirectUris":["/cb"]}]}`
		var out strings.Builder
		err := moving.Convert(moving.FromKeycloak, []io.Reader{strings.NewReader(export)}, &out, fits)
		there := strings.Contains(out.String(), "post_logout_redirect_uris")
		if err != nil || there != (want != "") || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %v, %s", said, err, out.String())
		}
	}
}

// Rule: MOVE-5
func TestRolesThatKeycloakGivesByAGroupOrByAnotherRoleComeToo(t *testing.T) {
	const realm = `{"realm":"r","roles":{"realm":[{"name":"lead","composite":true,"composites":{"realm":["writer"]}},
		{"name":"writer","composites":{"realm":["reader","lead"],"client":{"wiki":["view"]}}},
		{"name":"default-roles-r","composites":{"realm":["offline_access","employee"]}}]},
		"groups":[{"path":"/staff","realmRoles":["lead"],"subGroups":[{"path":"/staff/night","realmRoles":["keyholder"]}]},
		{"path":"/guests","clientRoles":{"wiki":["view"]}}]}`
	const users = `{"realm":"r","users":[{"id":"u1","username":"ann.lee","email":"ann@example.test","enabled":true,
		"realmRoles":["default-roles-r"],"groups":["/staff/night"]}]}`
	const groups = `"groups":["staff/night","lead","keyholder","employee","writer","reader"]`
	var out strings.Builder
	err := moving.Convert(moving.FromKeycloak, []io.Reader{strings.NewReader(realm), strings.NewReader(users)}, &out, fits)
	if err != nil || !strings.Contains(out.String(), groups) ||
		!strings.Contains(out.String(), "Roles of clients are left out of: guests.") {
		t.Errorf("%v: %s", err, out.String())
	}
	out.Reset()
	err = moving.Convert(moving.FromKeycloak, []io.Reader{strings.NewReader(users), strings.NewReader(realm)}, &out, fits)
	if err != nil || !strings.Contains(out.String(), "Give the file of the realm first") {
		t.Errorf("the people first: %v: %s", err, out.String())
	}
}

// Rule: MOVE-5
func TestWhatAProductDemandsAndCantComeIsTold(t *testing.T) {
	const realm = `{"realm":"r","users":[{"id":"u1","username":"ann.lee","enabled":true,"requiredActions":["UPDATE_PASSWORD"]},
		{"id":"u2","username":"bo.ek","enabled":true,"requiredActions":["VERIFY_EMAIL"],
		"attributes":{"department":["Sales"],"locale":["de"]}},
		{"id":"u3","username":"cy.oh","enabled":true,"federationLink":"0b7d6c1e-3f3e-4f1a-9d3c-1b1f2a3c4d5e",
		"attributes":{"LDAP_ID":["7"],"phoneNumber":["+49 30 1"],"modifyTimestamp":["1"]}}],
		"clients":[{"clientId":"strict","enabled":true,"standardFlowEnabled":true,"attributes":{
		"require.pushed.authorization.requests":"true","dpop.bound.access.tokens":"true",
		"tls.client.certificate.bound.access.tokens":"true","request.object.required":"request only"}},
		{"clientId":"easy","enabled":true,"standardFlowEnabled":true,"attributes":{"dpop.bound.access.tokens":"false",
		"request.object.required":"not required"}}]}`
	const clients = "identity_providers: {oidc: {clients: [{client_id: strict, require_pushed_authorization_requests: true}," +
		" {client_id: easy}]}}"
	for from, c := range map[string]struct {
		file string
		want []string
	}{
		moving.FromKeycloak: {realm, []string{"Have to choose a new password there: ann.lee.",
			"Come from a directory there: cy.oh.", "Attributes of people that are left out: department.", "pushed requests (the client strict)",
			"tokens bound to a key (the client strict)",
			"tokens bound to a certificate (the client strict)",
			"signed requests (the client strict)"}},
		moving.FromAuthelia: {clients, []string{"The client strict has to push its requests there"}},
	} {
		var out strings.Builder
		err := moving.Convert(from, []io.Reader{strings.NewReader(c.file)}, &out, fits)
		for _, want := range c.want {
			if err != nil || !strings.Contains(out.String(), want) || strings.Contains(out.String(), "client easy") ||
				strings.Contains(out.String(), "there: bo") {
				t.Errorf("%s: no %q: %v, %s", from, want, err, out.String())
			}
		}
	}
}

// Rule: MOVE-5
func TestClaimsAndScopesThatKeycloakWasTaughtAreTold(t *testing.T) {
	const realm = `{"realm":"r","clients":[{"clientId":"orders","enabled":true,"standardFlowEnabled":true,
		"defaultClientScopes":["web-origins","acr","basic","roles","profile","orders:read"],"optionalClientScopes":["organization"],
		"protocolMappers":[{"name":"audience","protocolMapper":"oidc-audience-mapper"}]},
		{"clientId":"usual","enabled":true,"serviceAccountsEnabled":true,"defaultClientScopes":["service_account","email"],
		"optionalClientScopes":["microprofile-jwt","address","phone","offline_access"],
		"protocolMappers":[{"name":"Client ID","protocolMapper":"oidc-usersessionmodel-note-mapper"}]}]}`
	var out strings.Builder
	err := moving.Convert(moving.FromKeycloak, []io.Reader{strings.NewReader(realm)}, &out, fits)
	for _, want := range []string{"the claims of the client orders (audience)", "the scope orders:read of the client orders"} {
		if err != nil || !strings.Contains(out.String(), want) || strings.Contains(out.String(), "of the client usual") ||
			strings.Contains(out.String(), "the scope organization") {
			t.Errorf("no %q: %v, %s", want, err, out.String())
		}
	}
}

// A client that proved itself by a certificate has a secret all the same, which opened nothing there.
//
// Rule: MOVE-5
func TestHowAClientProvedItselfThereIsToldWhereItCantHere(t *testing.T) {
	const realm = `{"realm":"r","clients":[
		{"clientId":"mtls","enabled":true,"standardFlowEnabled":true,"secret":"ofmtls","clientAuthenticatorType":"client-x509"},
		{"clientId":"hmac","enabled":true,"standardFlowEnabled":true,"secret":"ofhmac",
		"clientAuthenticatorType":"client-secret-jwt"},
		{"clientId":"usual","enabled":true,"standardFlowEnabled":true,"secret":"ofusual",
		"clientAuthenticatorType":"client-secret"}]}`
	const clients = `identity_providers: {oidc: {clients: [{client_id: hmac, client_secret: $plaintext$ofhmac,
		token_endpoint_auth_method: client_secret_jwt}, {client_id: keys, token_endpoint_auth_method: private_key_jwt},
		{client_id: usual, client_secret: $plaintext$ofusual, token_endpoint_auth_method: client_secret_basic}]}}`
	for from, c := range map[string]struct {
		file     string
		want, no []string
	}{
		moving.FromKeycloak: {realm, []string{"the client mtls proves itself (client-x509)",
			"the client hmac proves itself (client-secret-jwt)", "ofhmac", "ofusual"},
			[]string{"ofmtls", "the client usual"}},
		moving.FromAuthelia: {clients, []string{"The client hmac ", "The client keys ", "ofhmac", "ofusual"},
			[]string{"The client usual "}},
	} {
		var out strings.Builder
		err := moving.Convert(from, []io.Reader{strings.NewReader(c.file)}, &out, fits)
		for _, want := range c.want {
			if err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q: %v, %s", from, want, err, out.String())
			}
		}
		for _, no := range c.no {
			if strings.Contains(out.String(), no) {
				t.Errorf("%s: %q: %s", from, no, out.String())
			}
		}
	}
}
