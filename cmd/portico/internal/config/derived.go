package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/outbound"
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

// Shared is what the command line has to know of the server on its database, by
// the names of the settings: the addresses and identities that it makes must be
// the server's, and so must the sign-ins that it takes to have ended. It holds no secret.
func (c Config) Shared() map[string]string {
	return map[string]string{
		"APPS_PER_PERSON":              c.AppsPerPerson,
		"BASE_URL":                     c.BaseURL,
		"MAIL_FROM":                    c.sharedSender(),
		"OWN_NETWORKS":                 formatNetworks(c.OwnNetworks),
		"REGISTER_APPS":                c.RegisterApps,
		"SECOND_FACTOR":                c.SecondFactor,
		"SERVICE_ACCOUNT_EMAIL_DOMAIN": c.ServiceAccountEmailDomain,
		"SERVICE_ACCOUNT_EXPIRY":       formatDuration(c.ServiceAccountExpiry),
		"SESSION_IDLE":                 formatDuration(c.Lifetimes.SessionIdle),
		"URN_NAMESPACE":                c.URNNamespace,
	}
}

func formatNetworks(networks []netip.Prefix) string {
	texts := make([]string, len(networks))
	for i, network := range networks {
		texts[i] = network.String()
	}
	return strings.Join(texts, ",")
}

// Outbound returns what calls addresses that people configured. A process has
// one.
func (c Config) Outbound() *outbound.Client {
	return outbound.New(outbound.Options{Networks: slices.Concat(outbound.Beside(c.PublicURL()), c.OwnNetworks)})
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
