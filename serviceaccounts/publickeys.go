package serviceaccounts

import (
	"crypto/x509"
	"sync"
)

// maxParsed bounds the memory of parsed keys: about a kilobyte each.
const maxParsed = 4096

// publicKeys remembers keys that were parsed, which costs nearly as much as a
// look-up in the database. It goes by the key's bytes, so nothing in it can
// become wrong.
type publicKeys struct {
	mu     sync.RWMutex
	parsed map[string]any
}

func newPublicKeys() *publicKeys { return &publicKeys{parsed: map[string]any{}} }

// parse returns the key that PKIX, DER, describes.
func (k *publicKeys) parse(der []byte) (any, error) {
	k.mu.RLock()
	key, ok := k.parsed[string(der)]
	k.mu.RUnlock()
	if ok {
		return key, nil
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.parsed) >= maxParsed {
		clear(k.parsed)
	}
	k.parsed[string(der)] = key
	return key, nil
}
