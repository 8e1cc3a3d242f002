package people

import (
	"net/mail"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/language"

	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// Lengths of texts, in characters.
const (
	maxLine    = 200
	maxLines   = 2000
	maxAddress = 254 // of an e-mail address, in bytes (RFC 5321 section 4.5.3.1.3)
	maxURL     = 2000
)

// kind is how the values of some fields are read. read gets a text without
// surrounding space and returns what to keep of it.
type kind struct {
	wants string     // for programs
	hint  texts.Text // for people
	read  func(value string) (string, bool)
}

func text(name string, k kind, at func(*storage.User) *string) field {
	return field{name: name, wants: k.wants, hint: k.hint, read: k.read, at: at}
}

func flag(name string, at func(*storage.User) *bool) field {
	return field{name: name, wants: "true or false", flag: at}
}

// The kinds are read only.
var (
	requiredLine = kind{"a text of 1 to 200 characters in one line", texts.Say("fields.wants.required-line"),
		func(s string) (string, bool) {
			return s, !textkey.Blank(s) && isLine(s, maxLine)
		}}
	line = kind{"a text of at most 200 characters in one line", texts.Say("fields.wants.line"),
		func(s string) (string, bool) {
			return s, isLine(s, maxLine)
		}}
	lines = kind{"a text of at most 2000 characters, which may have several lines", texts.Say("fields.wants.lines"),
		func(s string) (string, bool) {
			s = strings.ReplaceAll(s, "\r\n", "\n")
			return s, utf8.RuneCountInString(s) <= maxLines && isLine(strings.ReplaceAll(s, "\n", " "), maxLines)
		}}
	email = kind{"one e-mail address, such as name@example.com, of at most 254 characters",
		texts.Say("fields.wants.email"), readEmail}
	username = kind{"3 to 64 letters, digits, dots, dashes and underscores without accents, the first and last a letter or digit", texts.Say("fields.wants.username"), optional(func(s string) (string, bool) {
		return s, len(s) >= 3 && len(s) <= 64 && usernamePattern().MatchString(s)
	})}
	webAddress = kind{"a web address that starts with https:// or http://", texts.Say("fields.wants.web-address"),
		optional(readWebAddress)}
	birthdate = kind{"a day as YYYY-MM-DD, or a year; 0000 stands for a year that is not told",
		texts.Say("fields.wants.birthdate"), optional(readBirthdate)}
	zone = kind{"a time zone of the IANA database, such as Europe/Paris",
		texts.Say("fields.wants.zone"), optional(readZone)}
	locale      = kind{"a language and a country, such as en-US", texts.Say("fields.wants.locale"), optional(readLocale)}
	countryCode = kind{"a country's two letters of ISO 3166, such as US",
		texts.Say("fields.wants.country-code"), optional(readCountry)}
	phoneNumber = kind{"a telephone number that starts with + and the country's number, such as +1 425 555 1212",
		texts.Say("fields.wants.phone"), optional(readPhone)}
	// languageCode is ISO 639: two letters, three where there are no two.
	languageCode = kind{"a language's letters of ISO 639, such as en", texts.Say("fields.wants.language"),
		optional(readLanguage)}
	identifier = kind{"an identifier of at most 200 printable ASCII characters without spaces",
		texts.Say("fields.wants.identifier"), func(s string) (string, bool) {
			return s, len(s) <= maxLine && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
		}}
)

var (
	usernamePattern = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]$`)
	localPattern    = pattern.Of("^[^\\s\\pZ\"(),:;<>@\\[\\\\\\]]+$")
	phonePattern    = pattern.Of(`^\+[0-9](?:[ ().-]?[ (]?[0-9])*\)?(?:;ext=[0-9]{1,10})?$`)
	notDigits       = pattern.Of(`[^0-9]`)
	hostPattern     = pattern.Of(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)
	letters         = pattern.Of(`^[A-Za-z]+$`)
	sizePattern     = pattern.Of(`^sizeX[1-9][0-9]{0,3}$`)
)

// optional lets a field be cleared.
func optional(read func(string) (string, bool)) func(string) (string, bool) {
	return func(s string) (string, bool) {
		if s == "" {
			return "", true
		}
		return read(s)
	}
}

// isLine reports whether people can read the text as one line. Marks that join
// letters count as readable, and so does the space of Japanese names; those that turn the direction of what follows do
// not, as they let a name pose as another.
func isLine(s string, limit int) bool {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > limit {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\u200c' && r != '\u200d' && r != '\u00a0' && r != '\u3000'
	})
}

// readEmail takes exactly one address without a name around it. Letters
// outside ASCII are fine on both sides of the @ (RFC 6531); quoted local parts
// and addresses of bare IP numbers are legal but always a slip. A domain in letters that
// DNS takes for others, as wide ones, is kept in those: it is the same mailbox.
func readEmail(s string) (string, bool) {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > maxAddress || !isLine(s, maxAddress) || !localPattern().MatchString(s[:at]) {
		return "", false
	}
	parsed, err := mail.ParseAddress(s)
	if err != nil || parsed.Address != s {
		return "", false
	}
	domain := s[at+1:]
	ascii, err := idna.Lookup.ToASCII(domain)
	if err != nil || len(ascii) > 253 || !hostPattern().MatchString(ascii) {
		return "", false
	}
	known, err := idna.Lookup.ToUnicode(ascii)
	if !strings.EqualFold(ascii, domain) && textkey.Fold(known) != textkey.Fold(domain) {
		s = s[:at+1] + known
	}
	return s, err == nil
}

// readBirthdate reads a day or a year (OpenID Connect Core 5.1). The year 0000 has
// all days, also the 29th of February.
func readBirthdate(s string) (string, bool) {
	if _, err := time.Parse("2006", s); err == nil {
		return s, s != "0000"
	}
	_, err := time.Parse(time.DateOnly, s)
	return s, err == nil
}

func readZone(s string) (string, bool) {
	_, err := time.LoadLocation(s)
	return s, err == nil && s != "Local"
}

func readWebAddress(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || len(s) > maxURL || !isLine(s, maxURL) || strings.ContainsAny(s, " \u3000\\\"<>") {
		return "", false
	}
	return s, (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
}

// readLocale returns the canonical form of a BCP 47 tag: en_us is en-US.
func readLocale(s string) (string, bool) {
	tag, err := language.Parse(s)
	if err != nil || tag == language.Und {
		return "", false
	}
	return tag.String(), true
}

func readLanguage(s string) (string, bool) {
	base, err := language.ParseBase(s)
	if err != nil || base.String() == "und" {
		return "", false
	}
	return base.String(), true
}

func readCountry(s string) (string, bool) {
	region, err := language.ParseRegion(s)
	if err != nil || !letters().MatchString(s) || !region.IsCountry() {
		return "", false
	}
	return region.Canonicalize().String(), true
}

// readPhone wants E.164, and lets people group the digits as they are used to.
func readPhone(s string) (string, bool) {
	number, _, _ := strings.Cut(s, ";")
	digits := len(notDigits().ReplaceAllString(number, ""))
	return s, digits >= 5 && digits <= 15 && phonePattern().MatchString(s)
}

// thumbnailSize reports whether the name is sizeX and a width up to 9999.
func thumbnailSize(name string) bool { return sizePattern().MatchString(name) }
