// Package sealing turns the configured secret into everything that is kept
// under it: derived keys, sealed (encrypted and authenticated) bytes and
// message authentication codes. It also has Secret, text that can't be printed,
// and Decode, the one reader of base64url.
//
// It is not where passwords are hashed (internal/password) or tokens are
// signed (internal/gate/signing). Start at Ring; every use names a label of its own,
// so that no two uses ever share a key.
package sealing

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/crypto/chacha20poly1305"
)

// MinSecret is the least length of the configured secret, in bytes.
const MinSecret = 32

// KeySize is the length of a derived key, in bytes.
const KeySize = 32

// ErrOpen is what Open returns for anything that was not sealed under this
// ring, label and bound text, or was changed since.
var ErrOpen = errors.New("sealing: neither the secret nor the previous secret opens this")

// Random gives random bytes: *ambient.Source.
type Random interface {
	Bytes(n int) []byte
}

// Ring derives keys from the configured secret and, while it is being
// replaced, from the previous one. It is safe for concurrent use.
type Ring struct {
	random Random
	roots  [][]byte // extracted keys: of the current secret, then the previous
}

// New returns a ring over the secret and the one before it (nil: there is
// none). Both need MinSecret bytes.
func New(secret, previous []byte, random Random) (*Ring, error) {
	ring := &Ring{random: random}
	for _, s := range [][]byte{secret, previous} {
		if s == nil && ring.roots != nil {
			break
		}
		if len(s) < MinSecret {
			return nil, fmt.Errorf("a secret of %d bytes is too short: at least %d are needed", len(s), MinSecret)
		}
		root, err := hkdf.Extract(sha256.New, s, nil)
		if err != nil {
			return nil, fmt.Errorf("extracting the root key: %w", err)
		}
		ring.roots = append(ring.roots, root)
	}
	return ring, nil
}

// Replaces reports whether there is a secret before, which is being replaced.
func (r *Ring) Replaces() bool { return len(r.roots) > 1 }

// Seal encrypts plaintext under the current secret. The result opens only with
// the same label and bound text; bound says where the bytes belong (such as a
// row's id), so that they can't be moved elsewhere. Layout: nonce (24 bytes),
// then XChaCha20-Poly1305 output.
func (r *Ring) Seal(label string, plaintext, bound []byte) []byte {
	nonce := r.random.Bytes(chacha20poly1305.NonceSizeX)
	aead := must(chacha20poly1305.NewX(derive(r.roots[0], "seal", label)))
	return aead.Seal(nonce, nonce, plaintext, bound)
}

// Open returns what Seal was given. With fresh = false it opened only with the
// previous secret: the caller seals it again. ErrOpen when nothing opens it.
func (r *Ring) Open(label string, sealed, bound []byte) (plaintext []byte, fresh bool, err error) {
	if len(sealed) < chacha20poly1305.NonceSizeX {
		return nil, false, ErrOpen
	}
	nonce, box := sealed[:chacha20poly1305.NonceSizeX], sealed[chacha20poly1305.NonceSizeX:]
	for i, root := range r.roots {
		aead := must(chacha20poly1305.NewX(derive(root, "seal", label)))
		if plaintext, err := aead.Open(nil, nonce, box, bound); err == nil {
			return plaintext, i == 0, nil
		}
	}
	return nil, false, ErrOpen
}

// MAC returns the HMAC-SHA256 (32 bytes) of the parts under the current
// secret. Parts are framed by their lengths: ("ab", "c") and ("a", "bc")
// differ.
func (r *Ring) MAC(label string, parts ...[]byte) []byte {
	return mac(r.roots[0], label, parts)
}

// CheckMAC reports, in constant time, whether code is the MAC of the parts
// under the current or the previous secret.
func (r *Ring) CheckMAC(label string, code []byte, parts ...[]byte) bool {
	return slices.ContainsFunc(r.roots, func(root []byte) bool { return hmac.Equal(code, mac(root, label, parts)) })
}

func mac(root []byte, label string, parts [][]byte) []byte {
	h := hmac.New(sha256.New, derive(root, "mac", label))
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return h.Sum(nil)
}

// derive expands the root key for one use of one label (RFC 5869, 2.3). The
// use keeps, say, the MAC key of a label apart from its sealing key.
func derive(root []byte, use, label string) []byte {
	return must(hkdf.Expand(sha256.New, root, "portico/"+use+"/"+label, KeySize))
}

// must is for calls that fail only for a wrong key size, which is fixed here.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Errorf("sealing: %w", err))
	}
	return value
}
