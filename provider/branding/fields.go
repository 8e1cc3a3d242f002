package branding

import (
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/contrast"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// ReasonField is the reason of faults of what does not fit its field.
const ReasonField = "invalid_field"

// The names of the fields.
const (
	FieldName      = "name"
	FieldSupport   = "support"
	FieldTerms     = "terms"
	FieldPrivacy   = "privacy"
	FieldImprint   = "imprint"
	FieldColor     = "color"
	FieldColorDark = "color_dark"
	FieldLogo      = "logo"
)

// field is a text of the brand: what it is called, where it goes, and what may stand
// in it.
type field struct {
	name  string
	label texts.Text
	hint  texts.Text
	at    func(*storage.Brand) *string
	check func(name, value string) (string, error)
}

// textFields are all but the logo.
func textFields() []field {
	link := texts.Say("brand.link-hint")
	return []field{
		{FieldName, texts.Say("parts.name"), texts.Say("brand.name-hint"), func(b *storage.Brand) *string { return &b.Name },
			checkName},
		{FieldSupport, texts.Say("parts.brand.support"), texts.Say("brand.support-hint"),
			func(b *storage.Brand) *string { return &b.SupportURL }, checkSupport},
		{FieldTerms, texts.Say("parts.brand.terms"), link, func(b *storage.Brand) *string { return &b.TermsURL }, checkLink},
		{FieldPrivacy, texts.Say("parts.brand.privacy"), link, func(b *storage.Brand) *string { return &b.PrivacyURL },
			checkLink},
		{FieldImprint, texts.Say("parts.brand.imprint"), link, func(b *storage.Brand) *string { return &b.ImprintURL },
			checkLink},
		{FieldColor, texts.Say("brand.color"), texts.Say("brand.color-hint"),
			func(b *storage.Brand) *string { return &b.Color }, checkColor(contrast.Light(), lowOnLight)},
		{FieldColorDark, texts.Say("brand.color-dark"), texts.Say("brand.color-dark-hint"),
			func(b *storage.Brand) *string { return &b.ColorDark }, checkColor(contrast.Dark(), lowOnDark)},
	}
}

func (f field) set(brand *storage.Brand, value string) error {
	value = strings.TrimSpace(value)
	if value != "" {
		var err error
		if value, err = f.check(f.name, value); err != nil {
			return err
		}
	}
	*f.at(brand) = value
	return nil
}

// What is said of colours that can't be read.
const (
	lowOnLight = "The contrast on light pages is %s to 1, and must be 4.5 to 1 (WCAG AA)."
	lowOnDark  = "The contrast on dark pages is %s to 1, and must be 4.5 to 1 (WCAG AA)."
)

const (
	maxName = 40 // characters, which fit into a narrow window
	maxLink = 2000
)

func checkName(name, value string) (string, error) {
	unreadable := strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) })
	if !utf8.ValidString(value) || utf8.RuneCountInString(value) > maxName || unreadable || textkey.Blank(value) {
		return "", fault.New(fault.Invalid, ReasonField, "This must be at most 40 readable characters in one line.").At(name)
	}
	return value, nil
}

// checkSupport takes an e-mail address too.
func checkSupport(name, value string) (string, error) {
	plain := strings.TrimPrefix(value, "mailto:")
	if address, err := mail.ParseAddress(plain); err == nil && address.Address == plain {
		return "mailto:" + plain, nil
	}
	link, err := checkLink(name, value)
	if err != nil {
		err = fault.New(fault.Invalid, ReasonField,
			"This must be an e-mail address, or a web address that starts with https:// or http://.").At(name)
	}
	return link, err
}

func checkLink(name, value string) (string, error) {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(value) > maxLink {
		return "", fault.New(fault.Invalid, ReasonField,
			"This must be a web address that starts with https:// or http://.").At(name)
	}
	return value, nil
}

// checkColor wants a colour that can be read on pages of the theme; low says that it
// can't.
func checkColor(theme contrast.Theme, low string) func(name, value string) (string, error) {
	return func(name, value string) (string, error) {
		value = strings.ToLower(value)
		worst, isOne := theme.Worst(value)
		switch {
		case !isOne:
			return "", fault.New(fault.Invalid, ReasonField,
				"This must be a colour such as #2a4d8f: # and six hexadecimal digits.").At(name)
		case worst < contrast.AtLeast:
			return "", fault.Newf(fault.Invalid, ReasonField, low, strconv.FormatFloat(worst, 'f', 1, 64)).At(name)
		}
		return value, nil
	}
}
