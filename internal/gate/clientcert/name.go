package clientcert

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// The fields of a certificate that can name a client (RFC 8705, 2.1.2).
const (
	SubjectDN = "subject_dn"
	DNS       = "san_dns"
	URI       = "san_uri"
	IP        = "san_ip"
	Email     = "san_email"
)

// Fields returns all of them.
func Fields() []string { return []string{SubjectDN, DNS, URI, IP, Email} }

// Names reports whether the certificate has the name in the field.
func Names(certificate *x509.Certificate, field, name string) bool {
	switch field {
	case SubjectDN:
		var subject pkix.RDNSequence
		_, err := asn1.Unmarshal(certificate.RawSubject, &subject)
		return err == nil && name != "" && slices.Equal(parts(subject.String()), parts(name))
	case DNS:
		return slices.ContainsFunc(certificate.DNSNames, func(one string) bool { return strings.EqualFold(one, name) })
	case URI:
		return slices.ContainsFunc(certificate.URIs, func(one *url.URL) bool { return one.String() == name })
	case IP:
		wanted, err := netip.ParseAddr(name)
		return err == nil && slices.ContainsFunc(certificate.IPAddresses, func(one net.IP) bool {
			address, ok := netip.AddrFromSlice(one)
			return ok && address.Unmap() == wanted.Unmap()
		})
	case Email:
		return slices.Contains(certificate.EmailAddresses, name)
	}
	return false
}

// parts are those of a distinguished name (RFC 4514), whatever the spaces between them
// and the case of their types.
func parts(name string) []string {
	var all []string
	begin := 0
	for i := 0; i <= len(name); i++ {
		if i < len(name) && (name[i] != ',' || i > 0 && name[i-1] == '\\') {
			continue
		}
		kind, value, _ := strings.Cut(strings.TrimSpace(name[begin:i]), "=")
		all = append(all, strings.ToUpper(strings.TrimSpace(kind))+"="+strings.TrimSpace(value))
		begin = i + 1
	}
	return all
}
