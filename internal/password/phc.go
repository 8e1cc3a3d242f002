package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

const (
	saltSize = 16 // bytes
	sumSize  = 32 // bytes
)

// params are what Argon2id is run with.
type params struct {
	memory  uint32 // KiB
	time    uint32 // passes
	threads uint8
}

// hash is a stored password hash. Its text form is that of the PHC string
// format.
type hash struct {
	params
	salt, sum []byte
}

var encoding = base64.RawStdEncoding.Strict()

// String returns the PHC form.
func (h hash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		h.memory, h.time, h.threads, encoding.EncodeToString(h.salt), encoding.EncodeToString(h.sum))
}

// madeWith reports whether a new hash with the parameters would be made the same way.
func (h hash) madeWith(current params) bool {
	return h.params == current && len(h.salt) == saltSize && len(h.sum) == sumSize
}

var errHash = errors.New("not an argon2id hash that this version can check")

// parse reads the PHC form. Costs are bounded: a hash that came in with an
// import must not be able to take the server down.
func parse(phc string) (hash, error) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return hash{}, errHash
	}
	var h hash
	if _, err := fmt.Sscanf(parts[3]+"\n", "m=%d,t=%d,p=%d\n", &h.memory, &h.time, &h.threads); err != nil {
		return hash{}, errHash
	}
	var saltErr, sumErr error
	h.salt, saltErr = encoding.DecodeString(parts[4])
	h.sum, sumErr = encoding.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || !h.bounded() {
		return hash{}, errHash
	}
	return h, nil
}

func (h hash) bounded() bool {
	return h.memory >= 8 && h.memory <= 256<<10 && h.time >= 1 && h.time <= 16 &&
		h.threads >= 1 && h.threads <= 8 &&
		len(h.salt) >= 8 && len(h.salt) <= 64 && len(h.sum) >= 16 && len(h.sum) <= 64
}
