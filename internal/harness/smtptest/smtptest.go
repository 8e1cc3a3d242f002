// Package smtptest is a mail server for tests, which takes mails over SMTP as
// real ones do, and fails as a test wants it to.
package smtptest

import (
	"errors"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Mail is what the server took.
type Mail struct {
	From, To string // of the envelope
	Raw      string
	Header   mail.Header
	Subject  string
	Text     string
	HTML     string
}

// Server is a mail server. Its fields are changed with Change.
type Server struct {
	Refuse map[string]*smtp.SMTPError // what is answered to RCPT, by address
	Login  string                     // user and password that it wants, as in user:password; empty: none

	// Hang holds the answer to a mail to the address back until it is closed.
	Hang map[string]chan struct{}

	// Took is called with each mail before the client hears that it was taken.
	Took func(Mail)

	mu     sync.Mutex
	mails  []Mail
	server *smtp.Server
	addr   string
}

// Start starts a server on a free port; it ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{Refuse: map[string]*smtp.SMTPError{}, Hang: map[string]chan struct{}{}}
	s.Listen(t, "127.0.0.1:0")
	t.Cleanup(s.Stop)
	return s
}

// Listen lets the server, which was stopped, serve at the address.
func (s *Server) Listen(t testing.TB, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	server.Domain, server.AllowInsecureAuth, server.ErrorLog = "mail.example.test", true, log.New(io.Discard, "", 0)
	s.mu.Lock()
	s.server, s.addr = server, listener.Addr().String()
	s.mu.Unlock()
	go func() { _ = server.Serve(listener) }()
}

// Stop ends the server. Listen starts it again.
func (s *Server) Stop() { _ = s.server.Close() }

// Addr is where it listens, or listened.
func (s *Server) Addr() string { return s.addr }

// URL is the setting that leads to it.
func (s *Server) URL() string {
	if s.Login != "" {
		return "smtp://" + s.Login + "@" + s.addr
	}
	return "smtp://" + s.addr
}

// Change changes what the server does.
func (s *Server) Change(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Mails returns what was taken, in order.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// To returns what was taken for the address.
func (s *Server) To(address string) []Mail {
	return slices.DeleteFunc(s.Mails(), func(m Mail) bool { return m.To != address })
}

type session struct {
	server *Server
	known  bool
	mail   Mail
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user+":"+password != s.server.Login {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}), nil
}

func (s *session) Reset()        { s.mail = Mail{} }
func (s *session) Logout() error { return nil }

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.server.Login != "" && !s.known {
		return smtp.ErrAuthRequired
	}
	s.mail.From = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if refusal := s.server.Refuse[to]; refusal != nil {
		return refusal
	}
	if s.mail.To != "" {
		return errors.New("a mail is to one person")
	}
	s.mail.To = to
	return nil
}

// Data implements smtp.Session.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.mail.read(string(raw)); err != nil {
		return &smtp.SMTPError{Code: 554, Message: "This is no mail: " + err.Error()}
	}
	s.server.mu.Lock()
	s.server.mails = append(s.server.mails, s.mail)
	took, hang := s.server.Took, s.server.Hang[s.mail.To]
	s.server.mu.Unlock()
	if took != nil {
		took(s.mail)
	}
	if hang != nil {
		<-hang
	}
	return nil
}

// read takes a mail apart as a mail program does.
func (m *Mail) read(raw string) error {
	parsed, err := mail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		return err
	}
	m.Raw, m.Header = raw, parsed.Header
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject")); err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return errors.Join(err, errors.New("it has no alternatives"))
	}
	parts := multipart.NewReader(parsed.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(body), "\r\n", "\n")
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			m.HTML = text
		} else {
			m.Text = text
		}
	}
}
