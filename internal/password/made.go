package password

import (
	"cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
)

// ReasonHash is the reason of every fault of CheckHash.
const ReasonHash = "password_hash"

// made is a kept hash, of ours or of another product.
type made interface {
	// fits reports whether the hash is that of the password.
	fits(password string) bool
}

// sized reports whether salt and sum are as long as those of hashes are.
func sized(salt, sum []byte) bool {
	return len(salt) >= 8 && len(salt) <= 64 && len(sum) >= 16 && len(sum) <= 64
}

func malformed(kind string) error {
	return fault.Newf(fault.Invalid, ReasonHash, "The %s hash is malformed.", kind)
}

func costly(kind string) error {
	return fault.Newf(fault.Invalid, ReasonHash, "The %s hash costs more to check than a sign-in may.", kind)
}

var kindPattern = pattern.Of(`^[a-z0-9-]{1,20}$`)

// unknown names the kind, but never shows what may be part of a hash.
func unknown(kind string) error {
	known := map[string]string{"1": "md5crypt", "5": "sha256crypt", "6": "sha512crypt", "y": "yescrypt",
		"7": "scrypt of crypt(3)", "apr1": "the MD5 of Apache", "argon2d": "argon2d", "2x": "the broken bcrypt 2x"}[kind]
	if known == "" && kindPattern().MatchString(kind) {
		known = kind
	}
	return fault.Newf(fault.Invalid, ReasonHash,
		"Hashes of the kind %s can't be checked here: the person needs a new password.", cmp.Or(known, "that this is of"))
}
