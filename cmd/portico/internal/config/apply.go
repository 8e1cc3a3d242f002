package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/antivirus"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
)

// The functions of this file take the text of one setting into the Config.
// Their errors say what is expected; Load adds the name and what was given.

var (
	domainName   = pattern.Of(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	endsInNumber = pattern.Of(`(^|\.)([0-9]+|0x[0-9a-f]*)$`)   // is an IPv4 address to browsers: 10.1 is 10.0.0.1
	headerName   = pattern.Of("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // a token, RFC 9110 section 5.6.2
	urnName      = pattern.Of(`^[a-z0-9][a-z0-9-]{1,30}$`)
)

func list(value string) []string {
	var items []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}

func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return errors.New("expected host:port, as in 127.0.0.1:8080")
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return errors.New("expected a port from 0 to 65535")
	}
	return nil
}

func applyListen(c *Config, value string) (err error) {
	c.Listen, err = addresses(value)
	return err
}

func applyClientHeader(c *Config, value string) error {
	c.TLS.ClientHeader = value
	if !headerName().MatchString(value) {
		return errors.New("expected the name of a header alone, as in Client-Cert")
	}
	return nil
}

func applyClientListen(c *Config, value string) (err error) {
	c.TLS.ClientListen, err = addresses(value)
	return err
}

func addresses(value string) ([]string, error) {
	all := list(value)
	if len(all) == 0 {
		return nil, errors.New("expected at least one host:port")
	}
	for _, address := range all {
		if err := checkAddress(address); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func applyMetricsListen(c *Config, value string) (err error) {
	c.MetricsListen, err = addresses(value)
	return err
}

func applyDataDir(c *Config, value string) error {
	c.DataDir = value
	return nil
}

func applyPool(c *Config, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > 1000 {
		return errors.New("expected a number from 1 to 1000")
	}
	c.DatabasePool = n
	return nil
}

func checkSecret(value string) error {
	if len(value) < sealing.MinSecret {
		return fmt.Errorf("expected at least %d bytes, got %d", sealing.MinSecret, len(value))
	}
	return nil
}

func applySecret(c *Config, value string) error {
	c.Secret = sealing.Secret(value)
	return checkSecret(value)
}

func applySecretPrevious(c *Config, value string) error {
	c.SecretPrevious = sealing.Secret(value)
	return checkSecret(value)
}

func onOff(field func(*Config) *bool) func(*Config, string) error {
	return func(c *Config, value string) error {
		if value != "on" && value != "off" {
			return errors.New("expected on or off")
		}
		*field(c) = value == "on"
		return nil
	}
}

func applyTrustedProxies(c *Config, value string) (err error) {
	c.TrustedProxies, err = networks(value)
	return err
}

func applyOwnNetworks(c *Config, value string) (err error) {
	c.OwnNetworks, err = networks(value)
	return err
}

// networks reads a list of addresses and networks.
func networks(value string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, item := range list(value) {
		if !strings.Contains(item, "/") {
			address, err := netip.ParseAddr(item)
			if err != nil {
				return nil, errors.New("expected addresses or networks, as in 10.0.0.0/8, separated by commas")
			}
			all = append(all, netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(item)
		if err != nil || network != network.Masked() {
			return nil, errors.New("expected networks without host bits, as in 10.0.0.0/8")
		}
		all = append(all, outbound.Unmapped(network))
	}
	return all, nil
}

func applyRateLimits(c *Config, value string) error {
	var err error
	if c.RateLimits, err = ratelimit.ParseRates(value); err != nil {
		return errors.New(lowerFirst(fault.From(err).Detail))
	}
	return nil
}

// lowerFirst fits a sentence into a fault's line.
func lowerFirst(sentence string) string {
	return strings.ToLower(sentence[:1]) + strings.TrimSuffix(sentence[1:], ".")
}

func applySignup(c *Config, value string) error {
	c.Signup = value
	return oneOf(value, "closed", "invite", "open")
}

func applySecondFactor(c *Config, value string) error {
	c.SecondFactor = value
	return oneOf(value, "voluntary", "administrators", "everybody")
}

func applyRegisterApps(c *Config, value string) error {
	c.RegisterApps = value
	if group, ok := strings.CutPrefix(value, "group:"); ok && group != "" {
		return nil
	}
	return oneOf(value, "everybody", "administrators", "group:NAME")
}

func applyAppsPerPerson(c *Config, value string) error {
	c.AppsPerPerson = value
	if n, err := strconv.Atoi(value); err != nil || n < 0 || n > 10_000 {
		return errors.New("expected a number from 0 to 10000")
	}
	return nil
}

func applySignupDomains(c *Config, value string) error {
	c.SignupDomains = list(value)
	for _, domain := range c.SignupDomains {
		if !domainName().MatchString(domain) {
			return errors.New("expected domain names in lower case, separated by commas")
		}
	}
	return nil
}

func oneOf(value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("expected %s", strings.Join(allowed, " or "))
}

func applyAdminEmail(c *Config, value string) error {
	address, err := mail.ParseAddress(value)
	if err != nil || address.Address != value {
		return errors.New("expected an e-mail address, as in admin@example.test")
	}
	c.AdminEmail = value
	return nil
}

func applyAdminPassword(c *Config, value string) error {
	c.AdminPassword = sealing.Secret(value)
	return nil
}

func applyMailFrom(c *Config, value string) error {
	if _, err := mail.ParseAddress(value); err != nil {
		return errors.New("expected a sender, as in Portico <no-reply@example.test>")
	}
	c.MailFrom = value
	return nil
}

func applyTokenAudience(c *Config, value string) error {
	c.TokenAudience = value
	return nil
}

func applyAssertionAudiences(c *Config, value string) error {
	c.AssertionAudiences = list(value)
	return nil
}

func applyEmailDomain(c *Config, value string) error {
	if !domainName().MatchString(value) || len(value) > 253 {
		return errors.New("expected a domain name in lower case")
	}
	c.ServiceAccountEmailDomain = value
	return nil
}

func applyURNNamespace(c *Config, value string) error {
	if !urnName().MatchString(value) {
		return errors.New("expected 2 to 31 lower-case letters, digits and hyphens")
	}
	c.URNNamespace = value
	return nil
}

func applyAntivirus(c *Config, value string) error {
	c.Antivirus = value
	_, err := antivirus.Open(value)
	return err
}

func applyAntivirusMode(c *Config, value string) error {
	c.AntivirusMode = value
	return oneOf(value, "block", "serve")
}

func text(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*field(c) = value
		return nil
	}
}

func secretText(field func(*Config) *sealing.Secret) func(*Config, string) error {
	return func(c *Config, value string) error {
		*field(c) = sealing.Secret(value)
		return nil
	}
}
