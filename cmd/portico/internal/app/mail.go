package app

import (
	"fmt"
	"path/filepath"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/mail"
	"github.com/portico-id/portico/internal/sealing"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/templates"
)

// mailDir is where mails lie that no mail server takes, below the data
// directory.
const mailDir = "mail"

// wireMail makes what writes and sends mails.
func (p *parts) wireMail(c config.Config, ring *sealing.Ring) error {
	letters, err := templates.NewLetters(c.BaseURL)
	if err != nil {
		return err
	}
	carrier, err := mail.NewFiles(filepath.Join(c.DataDir, mailDir), c.Sender())
	if c.SMTPURL != "" {
		carrier, err = mail.NewSMTP(c.SMTPURL, c.Sender())
	}
	if err != nil {
		return fmt.Errorf("PORTICO_SMTP_URL: %w", err)
	}
	p.outbox = outbox.New(outbox.Options{
		Store: p.store, Ambient: p.ambient, Ring: ring, Letters: letters, Carrier: carrier, Files: c.SMTPURL == "",
	})
	p.sender = outbox.NewSender(p.outbox, p.log, map[string]outbox.Writer{})
	return nil
}

// mailWords says where mails go.
func mailWords(o *outbox.Outbox) string {
	if o.Delivers() {
		return "to the mail server " + o.Where()
	}
	return "reaches nobody: mails lie as files in " + o.Where()
}
