//go:build !portico_libcrypto || !linux

package libcrypto

// Library is the OpenSSL of the system.
type Library struct{}

// Open fails: see ErrNotBuilt.
func Open() (*Library, error) { return nil, ErrNotBuilt }

// Version is what the library calls itself.
func (*Library) Version() string { return "" }

func (*Library) load([]byte, int) (func([]byte) ([]byte, error), error) { return nil, ErrNotBuilt }
