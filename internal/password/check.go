package password

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/portico-id/portico/internal/fault"
)

// Length limits of a password, in characters after normalisation.
const (
	MinLength = 8
	MaxLength = 1024
)

// ReasonWeak is the reason of every fault of Check.
const ReasonWeak = "password_rejected"

// common is the list of passwords that everybody tries first: lower case, one a
// line, a line break before the first and after the last.
//
//go:embed common.txt
var common string

// prepare brings a password into the form that is hashed, in the manner of
// PRECIS OpaqueString (RFC 8265, 4.2): every kind of space becomes the ordinary
// one, then NFC. The same password typed on two keyboards is the same to us.
func prepare(password string) string {
	spaced := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, password)
	return norm.NFC.String(spaced)
}

// Check returns nil when the password may be used by a person whose e-mail
// address and user name are given (those that are known), else Invalid with
// ReasonWeak and a sentence for the person.
func Check(password string, about ...string) error {
	if !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl) {
		return weak("The password contains characters that can't be typed.")
	}
	if len(password) > 4*utf8.UTFMax*MaxLength {
		return weak("The password is longer than 1024 characters.")
	}
	prepared := prepare(password)
	switch length := utf8.RuneCountInString(prepared); {
	case length < MinLength:
		return weak("The password is shorter than 8 characters.")
	case length > MaxLength:
		return weak("The password is longer than 1024 characters.")
	case isCommon(prepared):
		return weak("This password is one of those that everybody tries first. Choose another.")
	case isAbout(prepared, about):
		return weak("The password is the e-mail address or the user name. Choose another.")
	}
	return nil
}

func isCommon(prepared string) bool {
	return strings.Contains(common, "\n"+strings.ToLower(prepared)+"\n")
}

func isAbout(prepared string, about []string) bool {
	for _, name := range about {
		local, _, _ := strings.Cut(name, "@")
		if name != "" && (strings.EqualFold(prepared, prepare(name)) || strings.EqualFold(prepared, prepare(local))) {
			return true
		}
	}
	return false
}

func weak(detail string) error { return fault.New(fault.Invalid, ReasonWeak, detail) }
