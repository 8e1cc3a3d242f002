package password

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"

	"golang.org/x/crypto/argon2"
)

const (
	saltSize = 16 // bytes
	sumSize  = 32 // bytes
)

// params are what Argon2 is run with: Argon2id, where nothing else is said.
type params struct {
	independent bool   // Argon2i
	memory      uint32 // KiB
	time        uint32 // passes
	threads     uint8
}

// hash is a stored password hash. Its text form is that of the PHC string
// format.
type hash struct {
	params
	salt, sum []byte
}

var encoding = base64.RawStdEncoding.Strict()

// String returns the PHC form of Argon2id, which is what we make.
func (h hash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		h.memory, h.time, h.threads, encoding.EncodeToString(h.salt), encoding.EncodeToString(h.sum))
}

// madeWith reports whether a new hash with the parameters would be made the same way.
func (h hash) madeWith(current params) bool {
	return h.params == current && len(h.salt) == saltSize && len(h.sum) == sumSize
}

// fits implements made.
func (h hash) fits(password string) bool {
	sum := h.params.sum(password, h.salt, len(h.sum))
	return subtle.ConstantTimeCompare(sum, h.sum) == 1
}

// readArgon2 reads the PHC form. Costs are bounded: a hash that came in with an
// import must not be able to take the server down.
func readArgon2(parts []string) (made, error) {
	if len(parts) != 6 || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return nil, malformed(parts[1])
	}
	h := hash{params: params{independent: parts[1] == "argon2i"}}
	if _, err := fmt.Sscanf(parts[3]+"\n", "m=%d,t=%d,p=%d\n", &h.memory, &h.time, &h.threads); err != nil {
		return nil, malformed(parts[1])
	}
	var saltErr, sumErr error
	h.salt, saltErr = encoding.DecodeString(parts[4])
	h.sum, sumErr = encoding.DecodeString(parts[5])
	switch {
	case saltErr != nil || sumErr != nil || !sized(h.salt, h.sum):
		return nil, malformed(parts[1])
	case !h.bounded():
		return nil, costly(parts[1])
	}
	return h, nil
}

func (h hash) bounded() bool {
	return h.memory >= 8 && h.memory <= 256<<10 && h.time >= 1 && h.time <= 16 &&
		h.threads >= 1 && h.threads <= 8
}

// sum is the Argon2 hash of the prepared password.
func (p params) sum(password string, salt []byte, size int) []byte {
	if p.independent {
		return argon2.Key([]byte(prepare(password)), salt, p.time, p.memory, p.threads, uint32(size))
	}
	return argon2.IDKey([]byte(prepare(password)), salt, p.time, p.memory, p.threads, uint32(size))
}
