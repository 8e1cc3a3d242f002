package apps

import (
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rule: MTLS-7
func TestWhatOfACertificateAClientMayRegister(t *testing.T) {
	web := storage.Client{Type: storage.ClientWeb, Profile: storage.ProfileStandard}
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		client storage.Client
		change SecurityChange
		field  string // that is at fault; empty: none
	}{
		"a name": {web, SecurityChange{AuthMethod: text("tls_client_auth"),
			certificateNames: certificateNames[*string]{DNS: text("a.test")}}, ""},
		"no name": {web, SecurityChange{AuthMethod: text("tls_client_auth")}, FieldCertificateName},
		"two names": {web, SecurityChange{AuthMethod: text("tls_client_auth"),
			certificateNames: certificateNames[*string]{DNS: text("a.test"), IP: text("::1")}}, FieldCertificateName},
		"another name": {web, SecurityChange{AuthMethod: text("tls_client_auth"),
			certificateNames: certificateNames[*string]{DNS: text(""), IP: text("::1")}}, ""},
		"no keys":   {web, SecurityChange{AuthMethod: text("self_signed_tls_client_auth")}, FieldJWKS},
		"no method": {web, SecurityChange{AuthMethod: text("tls")}, FieldAuthMethod},
		"a public one": {storage.Client{Type: storage.ClientSPA, Profile: storage.ProfileStandard},
			SecurityChange{AuthMethod: text("tls_client_auth")}, FieldAuthMethod},
		"platform": {storage.Client{Type: storage.ClientWeb, Profile: storage.ProfilePlatform},
			SecurityChange{AuthMethod: text("tls_client_auth")}, FieldAuthMethod},
		"platform, too": {storage.Client{Type: storage.ClientWeb, Profile: storage.ProfilePlatform},
			SecurityChange{CertificateNeeded: new(true)}, FieldCertificateNeeded},
	} {
		c.client.ClientSecurity = c.change.applied(c.client.ClientSecurity)
		c.client.ClientSecurity = settled(c.client)
		err := checkSecurity(c.client)
		if c.field == "" && err != nil || c.field != "" && fault.From(err).Source != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	var change SecurityChange
	change.NameCertificate("san_dns=a.test")
	if field, name := nameAfter(change.certificateNames, "san_ip", "::1"); field != "san_dns" || name != "a.test" {
		t.Errorf("%s %s", field, name)
	}
	change.NameCertificate("")
	if field, name := nameAfter(change.certificateNames, "san_ip", "::1"); field != "" || name != "" {
		t.Errorf("%s %s", field, name)
	}
}
