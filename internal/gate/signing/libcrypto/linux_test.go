//go:build portico_libcrypto && linux

package libcrypto

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/binary"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

func open(tb testing.TB) *Library {
	tb.Helper()
	l, err := Open()
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func (l *Library) signer(tb testing.TB, key *rsa.PrivateKey) *Signer {
	tb.Helper()
	s, err := l.NewSigner(key)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// The library, Go and the program openssl sign alike, with keys of each size and of unlike
// halves, and where a signature begins with zeros.
//
// Rules: KEY-13
func TestTheLibrarySignsAsGoAndOpenSSLDo(t *testing.T) {
	l := open(t)
	for name, key := range map[string]*rsa.PrivateKey{
		"2048": newKey(t, 2048), "3072": newKey(t, 3072), "4096": newKey(t, 4096), "unlike halves": unlike(t),
	} {
		s, dir := l.signer(t, key), t.TempDir()
		block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
		if err := os.WriteFile(filepath.Join(dir, "key"), block, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"", "a", "what is signed"} {
			digest := sha256.Sum256([]byte(text))
			got, err := s.native(digest[:])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			program := exec.Command("openssl", "dgst", "-sha256", "-sign", filepath.Join(dir, "key"))
			program.Stdin = bytes.NewReader([]byte(text))
			if want, err := program.Output(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: openssl signs %q otherwise: %v", name, text, err)
			}
		}
		for i, zero := 0, key.Size() != 256; i < 10 || !zero; i++ { // of about 256 one begins with a zero
			digest := sha256.Sum256(binary.AppendUvarint(nil, uint64(i)))
			got, err := s.native(digest[:])
			if err == nil {
				err = s.compare(digest[:])
			}
			if err != nil {
				t.Fatalf("%s: %d: %v", name, i, err)
			}
			zero = zero || got[0] == 0
		}
	}
}

// unlike is a key whose halves are of 900 and 1148 bits.
func unlike(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	for {
		p, err := rand.Prime(rand.Reader, 900)
		if err != nil {
			t.Fatal(err)
		}
		q, err := rand.Prime(rand.Reader, 1148)
		if err != nil {
			t.Fatal(err)
		}
		one, e := big.NewInt(1), big.NewInt(65537)
		phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
		d := new(big.Int).ModInverse(e, phi)
		key := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: 65537}, D: d, Primes: []*big.Int{p, q}}
		if d != nil && key.N.BitLen() == 2048 && key.Validate() == nil {
			key.Precompute()
			return key
		}
	}
}

// pkcs1 is RSAPrivateKey (RFC 8017, A.1.2).
type pkcs1 struct {
	Version                      int
	N                            *big.Int
	E                            int
	D, P, Q, HalfP, HalfQ, QInvP *big.Int
}

// Rules: KEY-13
func TestAFlippedBitInAHalfOfTheKeyIsCaught(t *testing.T) {
	l, key := open(t), newKey(t, 2048)
	for name, flip := range map[string]func(*pkcs1) *big.Int{
		"dP": func(k *pkcs1) *big.Int { return k.HalfP }, "dQ": func(k *pkcs1) *big.Int { return k.HalfQ },
		"qInv": func(k *pkcs1) *big.Int { return k.QInvP },
	} {
		var k pkcs1
		if _, err := asn1.Unmarshal(x509.MarshalPKCS1PrivateKey(key), &k); err != nil {
			t.Fatal(err)
		}
		half := flip(&k)
		half.SetBit(half, 300, half.Bit(300)^1)
		der, err := asn1.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		native, err := l.load(der, key.Size())
		if err != nil {
			continue // caught as it is read
		}
		digest := sha256.Sum256([]byte(name))
		got, err := (&Signer{key, native}).Sign(nil, digest[:], crypto.SHA256)
		if err != nil || rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, digest[:], got) != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rules: KEY-13
func TestManySignAtOnceAndKeysComeAndGo(t *testing.T) {
	l := open(t)
	keys := []*rsa.PrivateKey{newKey(t, 2048), newKey(t, 2048)}
	var crowd sync.WaitGroup
	for i := range 50 {
		crowd.Go(func() {
			s := l.signer(t, keys[i%2])
			for j := range 10 {
				digest := sha256.Sum256([]byte{byte(i), byte(j)})
				if err := s.compare(digest[:]); err != nil {
					t.Error(err)
				}
			}
		})
		if i%10 == 0 {
			runtime.GC()
		}
	}
	crowd.Wait()
}

// soakSignatures is how many signatures are compared; make soak-signing sets it, and
// soakState is the file that remembers how many have been.
const (
	soakSignatures = "PORTICO_SOAK_SIGNATURES"
	soakState      = "PORTICO_SOAK_STATE"
)

// Rules: KEY-13
func TestRandomDigestsAreSignedAsGoSignsThem(t *testing.T) {
	count, begin := 500, 0
	if n := os.Getenv(soakSignatures); n != "" {
		count, _ = strconv.Atoi(n)
		done, _ := os.ReadFile(os.Getenv(soakState)) // absent: none yet
		begin, _ = strconv.Atoi(string(done))
	}
	l := open(t)
	const batch = 10_000
	for ; begin < count; begin += batch { // with a new key each
		s := l.signer(t, newKey(t, 2048))
		var all sync.WaitGroup
		for worker := range runtime.GOMAXPROCS(0) {
			all.Go(func() {
				for i := worker; i < min(batch, count-begin); i += runtime.GOMAXPROCS(0) {
					var digest [sha256.Size]byte
					_, _ = rand.Read(digest[:])
					if err := s.compare(digest[:]); err != nil {
						t.Errorf("%x: %v", digest, err)
					}
				}
			})
		}
		all.Wait()
		if name := os.Getenv(soakState); name != "" && !t.Failed() {
			if err := os.WriteFile(name, []byte(strconv.Itoa(begin+batch)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d signatures are alike", count)
}

func BenchmarkSign(b *testing.B) {
	key := newKey(b, 2048)
	digest := sha256.Sum256([]byte("what is signed"))
	for name, signer := range map[string]crypto.Signer{"libcrypto": open(b).signer(b, key), "Go": key} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := signer.Sign(nil, digest[:], crypto.SHA256); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
