package mail

import (
	"cmp"
	"net/mail"
	"strings"
	"unicode"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"
)

// newMessage puts the mail together. What people chose of it, address and
// subject, can't end a header: an address is one address and nothing else, and a
// subject is one line.
func newMessage(m Message, from *mail.Address) (*gomail.Msg, *Failure) {
	to, err := mail.ParseAddress(m.To)
	if err != nil || to.Address != m.To || strings.ContainsFunc(m.To, unicode.IsControl) {
		return nil, &Failure{Final: true, Detail: "This is not an address that mail can be sent to.", Cause: err}
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&mail.Address{Name: cmp.Or(OneLine(m.From), from.Name), Address: from.Address})
	msg.ToMailAddress(&mail.Address{Address: mailable(m.To)})
	msg.Subject(OneLine(m.Subject))
	msg.SetDateWithValue(m.At)
	msg.SetMessageIDWithValue(m.ID + "@" + domainOf(from.Address))
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // nobody answers it with a notice of absence (RFC 3834)
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}

// mailable writes the domain in ASCII, so that servers that know no other
// letters take it.
func mailable(address string) string {
	at := strings.LastIndexByte(address, '@')
	domain, err := idna.Lookup.ToASCII(address[at+1:])
	if err != nil {
		return address
	}
	return address[:at+1] + domain
}

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }

// OneLine makes one line of a text.
func OneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
}
