package clientprofile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/clientprofile"
	"github.com/portico-id/portico/storage"
)

func TestTheTypeSetsResponses(t *testing.T) {
	tests := map[string]struct {
		client    storage.Client
		responses []string
		pkce      bool
	}{
		"web":                    {storage.Client{Type: storage.ClientWeb}, []string{"code"}, false},
		"web that requires PKCE": {storage.Client{Type: storage.ClientWeb, RequirePKCE: true}, []string{"code"}, true},
		"web with openid": {storage.Client{Type: storage.ClientWeb, Scopes: []string{"openid"}},
			[]string{"code", "id_token", "code id_token"}, false},
		"service":             {storage.Client{Type: storage.ClientService}, nil, false},
		"service with openid": {storage.Client{Type: storage.ClientService, Scopes: []string{"openid"}}, nil, false},
		"native":              {storage.Client{Type: storage.ClientNative}, []string{"code"}, true},
		"native with openid": {storage.Client{Type: storage.ClientNative, Scopes: []string{"data:read", "openid"}},
			[]string{"code", "id_token", "code id_token"}, true},
		"spa":                     {storage.Client{Type: storage.ClientSPA}, []string{"code"}, true},
		"a type that is not ours": {storage.Client{Type: "other", Scopes: []string{"openid"}}, nil, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.responses, clientprofile.ResponseTypes(tt.client)); diff != "" {
				t.Errorf("response types -want +got:\n%s", diff)
			}
			if got := clientprofile.PKCERequired(tt.client); got != tt.pkce {
				t.Errorf("PKCE required: %v", got)
			}
		})
	}
}
