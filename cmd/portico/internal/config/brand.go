package config

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/contrast"
)

// Brand is whose server it is, as every page says.
type Brand struct {
	Name       string // empty: Portico
	SupportURL string // may be mailto:
	TermsURL   string
	PrivacyURL string
	ImprintURL string
	Color      string // of links and buttons on light pages; empty: Portico's
	ColorDark  string
	Logo       string // file of a PNG or JPEG picture; empty: Portico's
}

const maxBrandName = 40 // characters, which fit into a narrow window

func applyBrandName(c *Config, value string) error {
	c.Brand.Name = value
	unreadable := strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) })
	if !utf8.ValidString(value) || utf8.RuneCountInString(value) > maxBrandName || unreadable {
		return errors.New("expected at most 40 readable characters in one line")
	}
	return nil
}

// applyBrandSupport takes an e-mail address too.
func applyBrandSupport(c *Config, value string) error {
	if address, err := mail.ParseAddress(value); err == nil && address.Address == value {
		c.Brand.SupportURL = "mailto:" + value
		return nil
	}
	c.Brand.SupportURL = value
	if checkURL(value, "https", "http") != nil {
		return errors.New("expected an e-mail address, or a URL that starts with https:// or http://")
	}
	return nil
}

// brandColor reads a colour that can be read on pages of the theme.
func brandColor(theme contrast.Theme, of func(*Brand) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*of(&c.Brand) = strings.ToLower(value)
		switch worst, isOne := theme.Worst(value); {
		case !isOne:
			return errors.New("expected a colour such as #2a4d8f: # and six hexadecimal digits")
		case worst < contrast.AtLeast:
			return fmt.Errorf("the contrast is %.1f to 1, and must be 4.5 to 1 (WCAG AA)", worst)
		}
		return nil
	}
}

func applyBrandLogo(c *Config, value string) error {
	c.Brand.Logo = value
	return nil
}

// brandURL reads an address that pages lead to.
func brandURL(of func(*Brand) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*of(&c.Brand) = value
		return checkURL(value, "https", "http")
	}
}

// ServerNames are what people know the server by: by none of them an app passes for
// it.
func (c *Config) ServerNames() []string {
	names := []string{"Portico"}
	if c.Brand.Name != "" {
		names = append(names, c.Brand.Name)
	}
	if base, err := url.Parse(c.BaseURL); err == nil && net.ParseIP(base.Hostname()) == nil {
		names = append(names, base.Hostname())
	}
	return names
}
