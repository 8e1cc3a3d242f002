package directory_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"sync/atomic"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/ldaptest"
)

// flood is a directory behind TLS that says yes to a bind, and to a search an answer without an end.
type flood struct {
	URL, CA string
	sent    atomic.Int64 // bytes
	over    chan struct{}
}

// mostSent is where a flood ends by itself.
const mostSent = 256 << 20

// startFlood says the head of an answer, and then the part again and again.
func startFlood(t *testing.T, head func(id int64) []byte, part func(id int64) []byte) *flood {
	t.Helper()
	certificate, ca := selfSigned(t)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate},
		MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	f := &flood{URL: "ldaps://" + l.Addr().String(), CA: ca, over: make(chan struct{})}
	go func() {
		defer close(f.over)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		for err == nil {
			var packet *ber.Packet
			if packet, err = ber.ReadPacket(conn); err != nil || len(packet.Children) < 2 {
				return
			}
			id, _ := packet.Children[0].Value.(int64)
			if packet.Children[1].Tag == ldaptest.Bind {
				_, err = conn.Write(ldaptest.Result(id, 1, 0, ""))
				continue
			}
			_, err = conn.Write(head(id))
			for some := part(id); err == nil && f.sent.Load() < mostSent; f.sent.Add(int64(len(some))) {
				_, err = conn.Write(some)
			}
		}
	}()
	return f
}

func selfSigned(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	whose := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, &whose, &whose, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// Rule: LDAP-13
func TestOfAnAnswerWithoutAnEndLittleIsRead(t *testing.T) {
	chunk := make([]byte, 64<<10)
	stranger := func(id int64) []byte {
		return ldaptest.Entry(id, ldaptest.PersonDN("stranger"), map[string]string{"uid": string(chunk)})
	}
	for name, one := range map[string]struct{ head, part func(id int64) []byte }{
		"one packet of two gigabytes": {func(int64) []byte {
			return []byte{0x30, 0x84, 0x7f, 0xff, 0xff, 0x00, 0x04, 0x84, 0x7f, 0xff, 0xfe, 0x00}
		}, func(int64) []byte { return chunk }},
		"a packet whose length is not told": {func(int64) []byte { return []byte{0x30, 0x80} },
			func(int64) []byte { return append([]byte{0x04, 0x82, 0xff, 0xf0}, chunk[:0xfff0]...) }},
		"one entry after the other": {func(int64) []byte { return nil }, stranger},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFlood(t, one.head, one.part)
			w := onSQLite(t)
			_, err := w.Rules.Create(t.Context(), w.act(), "works", "openldap",
				config(map[string]any{"hosts": []string{f.URL}, "ca": f.CA}))
			w.must(err)
			if _, asked, err := w.try("alice", secret); !asked || !fault.Is(err, fault.Unavailable) {
				t.Errorf("she is told %v", err)
			}
			if <-f.over; f.sent.Load() > 96<<20 { // what the kernel holds counts, too
				t.Errorf("%d MB are taken", f.sent.Load()>>20)
			}
		})
	}
	t.Run("an entry of eight megabytes", func(t *testing.T) {
		w := onSQLite(t)
		w.gremlin(bound(func(id int64) [][]byte {
			return [][]byte{ldaptest.Entry(id, ldaptest.PersonDN("alice"), map[string]string{"uid": "alice",
				"mail": "alice@works.test", "cn": "Alice", "entryUUID": "0001", "description": string(make([]byte, 8<<20))}),
				ldaptest.Result(id, 5, 0, "")}
		}), nil)
		if !w.in("alice", secret) {
			t.Error("she is out")
		}
	})
}
