package app

import (
	"path/filepath"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/mail"
	"github.com/portico-id/portico/provider/outbox"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// mailDir is where mails lie that no mail server takes, below the data
// directory.
const mailDir = "mail"

// wireMail makes what writes and sends mails.
func (p *parts) wireMail() error {
	c := p.Config
	letters, err := p.pages.Letters(c.BaseURL, templates.Brand{})
	if err != nil {
		return err
	}
	carrier, err := mail.NewFiles(filepath.Join(c.DataDir, mailDir), c.Sender())
	if c.SMTPURL != "" {
		carrier, err = mail.NewSMTP(c.SMTPURL, c.Sender())
	}
	if err != nil {
		return config.Blame("PORTICO_SMTP_URL", err)
	}
	p.Outbox().Tools = outbox.Tools{Ring: p.ring, Letters: letters, Carrier: carrier}
	writers := map[string]outbox.Writer{}
	for kind, writer := range p.People().Writers() {
		writers[kind] = writer
	}
	p.sender = outbox.NewSender(p.Outbox(), p.Log, writers)
	return nil
}

// mailWords says where mails go.
func mailWords(o *outbox.Outbox) texts.Text {
	if o.Delivers() {
		return texts.Say("system.mail-server", "Server", o.Where())
	}
	return texts.Say("system.mail-files", "Folder", o.Where())
}
