package apps

import (
	"strings"

	"github.com/portico-id/portico/internal/gate/clientcert"
	"github.com/portico-id/portico/storage"
)

// keyMethods are the ways to prove oneself that need no secret.
func keyMethods() []string {
	return []string{storage.AuthPrivateKey, storage.AuthCertificate, storage.AuthOwnCertificate}
}

// certificateNames are what names a client in its certificate (RFC 8705, 2.1.2): one of
// them.
type certificateNames[T any] struct {
	SubjectDN T `json:"tls_client_auth_subject_dn,omitempty"`
	DNS       T `json:"tls_client_auth_san_dns,omitempty"`
	URI       T `json:"tls_client_auth_san_uri,omitempty"`
	IP        T `json:"tls_client_auth_san_ip,omitempty"`
	Email     T `json:"tls_client_auth_san_email,omitempty"`
}

// field returns the one that clientcert calls so; nil for none.
func (n *certificateNames[T]) field(name string) *T {
	switch name {
	case clientcert.SubjectDN:
		return &n.SubjectDN
	case clientcert.DNS:
		return &n.DNS
	case clientcert.URI:
		return &n.URI
	case clientcert.IP:
		return &n.IP
	case clientcert.Email:
		return &n.Email
	}
	return nil
}

// certificateName returns the client's name in its certificate as FIELD=NAME; empty for none.
func certificateName(c storage.Client) string {
	if c.CertificateField == "" {
		return ""
	}
	return c.CertificateField + "=" + c.CertificateName
}

// several stands for more fields than one, which no certificate is registered by.
const several = "several"

// nameAfter returns field and name after the change.
func nameAfter(change certificateNames[*string], field, name string) (string, string) {
	given := 0
	for _, one := range clientcert.Fields() {
		switch changed := *change.field(one); {
		case changed == nil:
		case *changed != "":
			field, name, given = one, *changed, given+1
		case field == one:
			field, name = "", ""
		}
	}
	if given > 1 {
		field = several
	}
	return field, name
}

// nameAlone changes what FIELD=NAME says, and empties the other fields.
func nameAlone(text string) (change certificateNames[*string]) {
	field, name, _ := strings.Cut(text, "=")
	for _, one := range clientcert.Fields() {
		*change.field(one) = new("")
	}
	if at := change.field(field); at != nil {
		*at = &name
	}
	return change
}
