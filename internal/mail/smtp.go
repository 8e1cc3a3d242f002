package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/internal/tracing"
)

// A step is what the server has time for: to be reached, to get ready, to take a
// mail. Patience is how long all of them take at most.
const (
	step     = 15 * time.Second
	Patience = 3 * step
)

// Ports that are meant by an address without one.
const (
	submissionPort  = 587 // RFC 6409: plain at first, encrypted by STARTTLS
	submissionsPort = 465 // RFC 8314: encrypted from the beginning
)

// server is a mail server that takes mails from us for anybody.
type server struct {
	name    string // host:port
	host    string
	options []gomail.Option
	from    *mail.Address
}

// NewSMTP returns a Carrier that hands mails to the server at the address, as in
// smtp://user:password@host:587 or smtps://host. By smtp the exchange is
// encrypted when the server offers it; user and password are sent in no other
// way. What stays on this machine needs no encryption.
func NewSMTP(address sealing.Secret, from string) (Carrier, error) {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address.Reveal())
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("expected an address as in smtp://user:password@host:587") // err would show the password
	}
	port, err := portOf(u)
	if err != nil {
		return nil, err
	}
	s := &server{name: net.JoinHostPort(u.Hostname(), strconv.Itoa(port)), host: u.Hostname(), from: sender}
	s.options = append(protection(u), gomail.WithPort(port), gomail.WithTimeout(step),
		gomail.WithHELO(domainOf(sender.Address)))
	_, err = gomail.NewClient(s.host, s.options...)
	return s, err
}

func portOf(u *url.URL) (int, error) {
	switch {
	case u.Port() != "":
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return 0, errors.New("expected a port from 1 to 65535")
		}
		return int(port), nil
	case u.Scheme == "smtps":
		return submissionsPort, nil
	}
	return submissionPort, nil
}

// protection says how the exchange is encrypted, and who we are.
func protection(u *url.URL) []gomail.Option {
	policy, auth := gomail.TLSOpportunistic, gomail.SMTPAuthAutoDiscover
	switch {
	case outbound.ThisMachine(u.Hostname()):
		policy, auth = gomail.NoTLS, gomail.SMTPAuthPlainNoEnc
	case u.User != nil:
		policy = gomail.TLSMandatory
	}
	options := []gomail.Option{gomail.WithTLSPolicy(policy)}
	if u.Scheme == "smtps" {
		options = []gomail.Option{gomail.WithSSL()}
	}
	if u.User == nil {
		return options
	}
	password, _ := u.User.Password()
	return append(options, gomail.WithUsername(u.User.Username()), gomail.WithPassword(password),
		gomail.WithSMTPAuth(auth))
}

// Knock reports whether the server at the address talks to us and takes our password; it
// is sent no mail.
func Knock(ctx context.Context, address sealing.Secret, from string) error {
	carrier, err := NewSMTP(address, from)
	if err != nil {
		return err
	}
	s, _ := carrier.(*server)
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return s.unreached(err)
	}
	conversation, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return s.unreached(err)
	}
	return client.CloseWithSMTPClient(conversation)
}

// Where implements Carrier.
func (s *server) Where() string { return s.name }

// Carry implements Carrier. Each mail has a connection of its own: one that
// hangs holds nobody else up.
func (s *server) Carry(ctx context.Context, m Message) error {
	span := tracing.Child(ctx)
	span.Name("SEND", "mail")
	err := s.carry(ctx, m)
	span.End(err)
	return err
}

func (s *server) carry(ctx context.Context, m Message) error {
	msg, failure := newMessage(m, s.from)
	if failure != nil {
		return failure
	}
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return s.unreached(err)
	}
	conversation, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return s.unreached(err)
	}
	err = client.SendWithSMTPClient(conversation, msg)
	_ = client.CloseWithSMTPClient(conversation) // what matters is said
	if msg.IsDelivered() {
		return nil
	}
	return s.refused(err)
}

func (s *server) unreached(err error) *Failure {
	return &Failure{Unreached: true, Detail: fmt.Sprintf("The mail server %s can’t be used: %s", s.name, short(err)),
		Cause: err}
}

// refused reads why the server did not take the mail. A reply that never came
// to a mail that was sent whole leaves it unclear.
func (s *server) refused(err error) *Failure {
	failure := &Failure{Detail: fmt.Sprintf("The mail server %s did not answer.", s.name), Cause: err}
	var said *gomail.SendError
	if !errors.As(err, &said) {
		return failure
	}
	failure.Status = said.ErrorCode()
	failure.Unclear = said.Reason == gomail.ErrSMTPDataClose && failure.Status == 0
	if failure.Status > 0 {
		// That it takes no mail from us is for the administrator to mend.
		failure.Final = failure.Status >= 500 && said.Reason != gomail.ErrSMTPMailFrom
		failure.Detail = fmt.Sprintf("The mail server %s answered: %s", s.name, short(said))
	}
	return failure
}

// short is the beginning of what an error says, in one line.
func short(err error) string {
	text := []rune(OneLine(err.Error()))
	return string(text[:min(len(text), 300)])
}
