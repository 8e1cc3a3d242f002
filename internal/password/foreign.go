package password

import (
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	digests "hash"
	"strconv"
	"strings"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/scrypt"
)

// The most that a hash of another product may cost: about a second, and 128 MiB.
const (
	maxBcryptCost   = 14
	maxPBKDF2Rounds = 2_000_000
	maxScryptMemory = 128 << 20 // bytes
	maxScryptLanes  = 4
)

// foreign is a hash of another product, which took the password as it was typed, or
// in one Unicode form.
type foreign func(password string) bool

// fits implements made.
func (f foreign) fits(password string) bool {
	if f(password) {
		return true
	}
	prepared := prepare(password)
	return prepared != password && f(prepared)
}

func readBcrypt(text string) (made, error) {
	cost, err := bcrypt.Cost([]byte(text))
	switch {
	case err != nil || len(text) != 60:
		return nil, malformed("bcrypt")
	case cost > maxBcryptCost:
		return nil, costly("bcrypt")
	}
	return foreign(func(password string) bool {
		return bcrypt.CompareHashAndPassword([]byte(text), []byte(password)) == nil
	}), nil
}

// adapted reads the base64 of passlib and those who follow it: without padding, and
// with a dot for the plus sign.
func adapted(text string) ([]byte, error) {
	text = strings.TrimRight(strings.ReplaceAll(text, ".", "+"), "=")
	return base64.RawStdEncoding.DecodeString(text)
}

// readPBKDF2 reads $pbkdf2-sha256$ROUNDS$SALT$SUM.
func readPBKDF2(parts []string, digest func() digests.Hash) (made, error) {
	if len(parts) != 5 {
		return nil, malformed(parts[1])
	}
	rounds, err := strconv.Atoi(parts[2])
	salt, saltErr := adapted(parts[3])
	sum, sumErr := adapted(parts[4])
	switch {
	case err != nil || saltErr != nil || sumErr != nil || rounds < 1 || !sized(salt, sum):
		return nil, malformed(parts[1])
	case rounds > maxPBKDF2Rounds:
		return nil, costly(parts[1])
	}
	return foreign(func(password string) bool {
		made, err := pbkdf2.Key(digest, password, salt, rounds, len(sum))
		return err == nil && subtle.ConstantTimeCompare(made, sum) == 1
	}), nil
}

// readScrypt reads $scrypt$ln=16,r=8,p=1$SALT$SUM.
func readScrypt(parts []string) (made, error) {
	var log, blocks, lanes int
	if len(parts) != 5 {
		return nil, malformed(parts[1])
	}
	_, err := fmt.Sscanf(parts[2]+"\n", "ln=%d,r=%d,p=%d\n", &log, &blocks, &lanes)
	salt, saltErr := adapted(parts[3])
	sum, sumErr := adapted(parts[4])
	switch {
	case err != nil || saltErr != nil || sumErr != nil || log < 1 || blocks < 1 || lanes < 1 || !sized(salt, sum):
		return nil, malformed(parts[1])
	case log > 20 || blocks > 32 || lanes > maxScryptLanes || 128*blocks<<log > maxScryptMemory:
		return nil, costly(parts[1])
	}
	return foreign(func(password string) bool {
		made, err := scrypt.Key([]byte(password), salt, 1<<log, blocks, lanes, len(sum))
		return err == nil && subtle.ConstantTimeCompare(made, sum) == 1
	}), nil
}

// CheckHash returns nil when passwords can be checked by the hash, which another
// product may have made, else Invalid with ReasonHash: bcrypt, Argon2id and Argon2i,
// PBKDF2 with SHA-1, SHA-256 or SHA-512, and scrypt, in the forms that passlib and PHC
// have for them. What would cost more than a sign-in may is refused.
func CheckHash(text string) error {
	_, err := read(text)
	return err
}

// read returns what a kept hash is checked by.
func read(text string) (made, error) {
	parts := strings.Split(text, "$")
	if len(parts) < 4 || parts[0] != "" || len(text) > 1000 {
		return nil, malformed("password")
	}
	switch parts[1] {
	case "argon2id", "argon2i":
		return readArgon2(parts)
	case "2a", "2b", "2y":
		return readBcrypt(text)
	case "pbkdf2", "pbkdf2-sha1":
		return readPBKDF2(parts, sha1.New)
	case "pbkdf2-sha256":
		return readPBKDF2(parts, sha256.New)
	case "pbkdf2-sha512":
		return readPBKDF2(parts, sha512.New)
	case "scrypt":
		return readScrypt(parts)
	}
	return nil, unknown(parts[1])
}
