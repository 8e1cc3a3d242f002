package factors

import (
	"crypto/hmac"
	"crypto/sha1" // what authenticator apps compute by default (RFC 6238)
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// What every authenticator app takes a code for unless it is told otherwise, and
// some even if they are (RFC 6238 section 4).
const (
	secretBytes = 20
	period      = 30 * time.Second
	digits      = 6
	modulus     = 1_000_000
)

// drift is how many steps a device's clock may be off, either way.
const drift = 1

func stepAt(now time.Time) int64 { return now.Unix() / int64(period/time.Second) }

// codeOf returns the code of a step (RFC 4226 section 5.3).
func codeOf(secret []byte, step int64) string {
	h := hmac.New(sha1.New, secret)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := h.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%0*d", digits, (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%modulus)
}

// stepOf returns the step whose code was typed, among those that are good now.
func stepOf(secret []byte, typed string, now time.Time) (step int64, ok bool) {
	for s := stepAt(now) - drift; s <= stepAt(now)+drift; s++ {
		if subtle.ConstantTimeCompare([]byte(codeOf(secret, s)), []byte(typed)) == 1 {
			step, ok = s, true
		}
	}
	return step, ok
}

// text is a secret as people type it.
func text(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// keyURI is what authenticator apps read from a QR code.
func keyURI(server, account string, secret []byte) string {
	return "otpauth://totp/" + escaped(server) + ":" + escaped(account) + "?secret=" + text(secret) +
		"&issuer=" + escaped(server)
}

// escaped is without the plus that forms have for a space: apps show it as it is.
func escaped(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
