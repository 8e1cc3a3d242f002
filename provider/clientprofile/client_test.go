package clientprofile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

// Rule: CLIENT-1
func TestTheTypeSetsGrantsAndResponses(t *testing.T) {
	const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	tests := map[string]struct {
		client            storage.Client
		grants, responses []string
		pkce              bool
	}{
		"web":                     {storage.Client{Type: storage.ClientWeb}, []string{"authorization_code", "refresh_token", "client_credentials"}, []string{"code"}, false},
		"web that requires PKCE":  {storage.Client{Type: storage.ClientWeb, RequirePKCE: true}, []string{"authorization_code", "refresh_token", "client_credentials"}, []string{"code"}, true},
		"web with openid":         {storage.Client{Type: storage.ClientWeb, Scopes: []string{"openid"}}, []string{"authorization_code", "refresh_token", "client_credentials", "implicit"}, []string{"code", "id_token", "code id_token"}, false},
		"service":                 {storage.Client{Type: storage.ClientService}, []string{"client_credentials", bearer}, nil, false},
		"service with openid":     {storage.Client{Type: storage.ClientService, Scopes: []string{"openid"}}, []string{"client_credentials", bearer}, nil, false},
		"native":                  {storage.Client{Type: storage.ClientNative}, []string{"authorization_code", "refresh_token"}, []string{"code"}, true},
		"native with openid":      {storage.Client{Type: storage.ClientNative, Scopes: []string{"data:read", "openid"}}, []string{"authorization_code", "refresh_token", "implicit"}, []string{"code", "id_token", "code id_token"}, true},
		"spa":                     {storage.Client{Type: storage.ClientSPA}, []string{"authorization_code", "refresh_token"}, []string{"code"}, true},
		"a type that is not ours": {storage.Client{Type: "other", Scopes: []string{"openid"}}, nil, nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.grants, clientprofile.GrantTypes(tt.client)); diff != "" {
				t.Errorf("grants -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.responses, clientprofile.ResponseTypes(tt.client)); diff != "" {
				t.Errorf("response types -want +got:\n%s", diff)
			}
			if got := clientprofile.PKCERequired(tt.client); got != tt.pkce {
				t.Errorf("PKCE required: %v", got)
			}
		})
	}
}
