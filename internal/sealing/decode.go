package sealing

import (
	"encoding/base64"
	"errors"
	"strings"
)

var errLineBreak = errors.New("sealing: a line break in base64url")

// Decode returns the bytes whose one spelling the base64url text is (RFC 4648,
// 5). It refuses padding, white space, spare bits, and characters of the other
// alphabet. The standard library's reader passes over line breaks, and unless
// told otherwise over bits that stand for nothing, so that one token could be
// sent as several texts.
//
// Whatever comes from outside as base64url is read here (a test of the house
// looks); writing it is encoding/base64's.
func Decode(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, errLineBreak
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}
