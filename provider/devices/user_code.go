package devices

import (
	"encoding/binary"
	"strings"

	"github.com/portico-id/portico/internal/textkey"
)

// letters are those of user codes: no vowels, which would make words, and nothing
// that looks or sounds like another (RFC 8628 section 6.1).
const (
	letters    = "BCDFGHJKLMNPQRSTVWXZ"
	codeLength = 8
)

// newUserCode makes a code of random bytes. 64 bits leave no letter the likelier by
// more than one part in hundreds of millions.
func newUserCode(random []byte) string {
	n := binary.BigEndian.Uint64(random)
	code := make([]byte, codeLength)
	for i := range code {
		code[i] = letters[n%uint64(len(letters))]
		n /= uint64(len(letters))
	}
	return string(code)
}

// shown is the code as people read it best.
func shown(code string) string { return code[:codeLength/2] + "-" + code[codeLength/2:] }

// Typed returns the code that somebody typed, whatever its case and whatever stands
// between its letters; false for what can't be one.
func Typed(text string) (code string, ok bool) {
	code = textkey.Code(text)
	return code, len(code) == codeLength && strings.Trim(code, letters) == ""
}

// Shown is what is typed as people read it best; what can't be a code is nothing.
func Shown(text string) string {
	if code, ok := Typed(text); ok {
		return shown(code)
	}
	return ""
}
