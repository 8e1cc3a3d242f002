package config

import (
	"cmp"
	"net/mail"
	"net/netip"
	"net/url"
)

// Sender is who mails are from.
func (c Config) Sender() string {
	if c.MailFrom != "" {
		return c.MailFrom
	}
	host := "localhost"
	if base, err := url.Parse(c.PublicURL()); err == nil && base.Hostname() != "" {
		host = base.Hostname()
	}
	if _, err := netip.ParseAddr(host); err == nil {
		host = "localhost" // mail addresses have names
	}
	return (&mail.Address{Name: cmp.Or(c.Brand.Name, "Portico"), Address: "no-reply@" + host}).String()
}

// sharedSender tells the command line that mails reach people, and from whom.
func (c Config) sharedSender() string {
	if !c.Delivers {
		return ""
	}
	return c.Sender()
}
