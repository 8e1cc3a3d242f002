package config

import (
	"net"
	"net/url"
)

// PublicURL is the base URL as far as it is known before a server listens: the
// configured one, or localhost with the port of the first listener.
func (c Config) PublicURL() string {
	if c.BaseURL != "" || len(c.Listen) == 0 {
		return c.BaseURL
	}
	_, port, err := net.SplitHostPort(c.Listen[0])
	if err != nil {
		return "" // can't be: it was checked
	}
	return "http://localhost:" + port
}

// AccountDomain is the domain of the addresses of service accounts. They
// receive no mail.
func (c Config) AccountDomain() string {
	if c.ServiceAccountEmailDomain != "" {
		return c.ServiceAccountEmailDomain
	}
	base, err := url.Parse(c.PublicURL())
	if err != nil || base.Hostname() == "" {
		return "serviceaccount.localhost"
	}
	return "serviceaccount." + base.Hostname()
}
