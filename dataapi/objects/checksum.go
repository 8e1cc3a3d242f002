package objects

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"hash"
	"io"
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// claim is what a client says the hash of a body is.
type claim struct {
	header string
	hash   hash.Hash
	want   []byte
}

// verified returns a body of so many bytes that fails at its last one if they
// are not what the client says they are: Content-MD5 (RFC 1864) or
// Content-Digest with sha-256 (RFC 9530).
func verified(body io.Reader, header http.Header, size int64) (io.Reader, error) {
	claims, err := claimsOf(header)
	if err != nil || len(claims) == 0 {
		return body, err
	}
	if size == 0 {
		return body, check(claims)
	}
	return &checking{body: body, left: size, claims: claims}, nil
}

func claimsOf(header http.Header) ([]claim, error) {
	var claims []claim
	if text := header.Get("Content-MD5"); text != "" {
		claims = append(claims, claim{"Content-MD5", md5.New(), decode(text)})
	}
	for entry := range strings.SplitSeq(header.Get("Content-Digest"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(entry), "=")
		if strings.EqualFold(name, "sha-256") {
			claims = append(claims, claim{"Content-Digest", sha256.New(), decode(strings.Trim(value, ":"))})
		}
	}
	for _, c := range claims {
		if len(c.want) != c.hash.Size() {
			return nil, fault.New(fault.Invalid, reasonInvalid, "The checksum can't be read.").At(c.header)
		}
	}
	return claims, nil
}

// decode returns nothing for what is not base64, which no hash is.
func decode(text string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return bytes
}

func check(claims []claim) error {
	for _, c := range claims {
		if subtle.ConstantTimeCompare(c.hash.Sum(nil), c.want) != 1 {
			return fault.New(fault.Invalid, reasonChecksum,
				"The bytes that came are not those of the checksum: send them again.").At(c.header)
		}
	}
	return nil
}

// checking hashes what is read.
type checking struct {
	body   io.Reader
	left   int64
	claims []claim
}

func (c *checking) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	for _, claim := range c.claims {
		claim.hash.Write(p[:n])
	}
	c.left -= int64(n)
	if c.left == 0 {
		if wrong := check(c.claims); wrong != nil {
			return 0, wrong // the last bytes never arrive
		}
	}
	return n, err
}
