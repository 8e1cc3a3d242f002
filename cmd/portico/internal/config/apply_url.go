package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/outbound"
	"github.com/portico-id/portico/internal/sealing"
)

func applyClientURL(c *Config, value string) error {
	var like Config
	c.TLS.ClientURL = value
	if err := applyBaseURL(&like, value); err != nil {
		return err
	}
	if !strings.HasPrefix(value, "https://") {
		return errors.New("expected https: there are no certificates without")
	}
	return nil
}

// applyBaseURL holds decision N2. What is accepted is used byte for byte, so
// whatever has a second spelling (upper case, a trailing slash) is refused
// instead of being tidied up.
func applyBaseURL(c *Config, value string) error {
	c.BaseURL = value
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("expected an absolute URL, as in https://id.example.test")
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(value, "#") {
		return errors.New("expected no user, query or fragment in it")
	}
	if u.Path != "" {
		return errors.New("expected nothing after the host, no path and no trailing slash")
	}
	if value != strings.ToLower(value) || value != u.Scheme+"://"+u.Host {
		return errors.New("expected scheme and host in lower case")
	}
	if !hostName(u.Hostname()) {
		return errors.New("expected a domain name in ASCII or an IP address as host")
	}
	if err := checkPort(u); err != nil {
		return err
	}
	if u.Scheme == "http" && !outbound.ThisMachine(u.Hostname()) {
		return errors.New("expected https: plain http is only for localhost, 127.0.0.1 and [::1]")
	}
	return nil
}

func hostName(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return host == address.String() && !address.Is4In6() // as browsers write it
	}
	return domainName().MatchString(host) && !endsInNumber().MatchString(host)
}

// checkPort refuses what browsers and libraries leave out or write otherwise.
func checkPort(u *url.URL) error {
	if u.Host == u.Hostname() || strings.HasSuffix(u.Host, "]") {
		return nil
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	switch {
	case err != nil || strconv.FormatUint(n, 10) != u.Port():
		return errors.New("expected a port from 0 to 65535 after the colon")
	case u.Port() == map[string]string{"https": "443", "http": "80"}[u.Scheme]:
		return fmt.Errorf("expected no port: %s is that of %s, and nobody writes it", u.Port(), u.Scheme)
	}
	return nil
}

func applySMTP(c *Config, value string) error {
	c.SMTPURL = sealing.Secret(value)
	// Nothing there means anything, and what of a password is not percent-encoded may stand there.
	if u, err := url.Parse(value); err == nil && strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
		return errors.New("expected nothing behind the host: / ? and # in a password are written as %2F, %3F and %23")
	}
	return checkURL(value, "smtp", "smtps")
}

func applyRedis(c *Config, value string) error {
	c.RedisURL = sealing.Secret(value)
	if strings.HasPrefix(value, "unix:///") {
		return nil
	}
	return checkURL(value, "redis", "rediss")
}

func applyS3Endpoint(c *Config, value string) error {
	c.S3.Endpoint = value
	if u, err := url.Parse(value); err == nil && (u.User != nil || u.RawQuery != "" || strings.Trim(u.Path, "/") != "") {
		return errors.New("expected no user, path or query in it: keys are PORTICO_S3_ACCESS_KEY and PORTICO_S3_SECRET_KEY")
	}
	return checkURL(value, "https", "http")
}

func checkURL(value string, schemes ...string) error {
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || !slices.Contains(schemes, u.Scheme) {
		return fmt.Errorf("expected a URL that starts with %s://", strings.Join(schemes, ":// or "))
	}
	return nil
}

func applyTracesURL(c *Config, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("expected an absolute URL, as in http://127.0.0.1:4318")
	}
	if u.User != nil || u.RawQuery != "" || strings.Contains(value, "#") {
		return errors.New("expected no user, query or fragment in it")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	c.TracesURL = u.String()
	return nil
}

func applyTracesShare(c *Config, value string) error {
	share, err := strconv.ParseFloat(value, 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return errors.New("expected a number from 0 to 1")
	}
	c.TracesShare = share
	return nil
}
