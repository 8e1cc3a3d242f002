package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

func codeLifetime(c *Config, value string) error {
	// Never longer than the five minutes of S1 section 8.
	return between(value, time.Second, 5*time.Minute, &c.Lifetimes.Code)
}

func idTokenLifetime(c *Config, value string) error {
	return between(value, time.Second, day, &c.Lifetimes.IDToken)
}

func accessTokenLifetime(c *Config, value string) error {
	return between(value, time.Second, day, &c.Lifetimes.AccessToken)
}

func refreshTokenLifetime(c *Config, value string) error {
	return between(value, time.Second, 365*day, &c.Lifetimes.RefreshToken)
}

func grantLifetime(c *Config, value string) error {
	return between(value, 0, 3650*day, &c.Lifetimes.Grant)
}

func grantLifetimePlatform(c *Config, value string) error {
	return between(value, 0, 3650*day, &c.Lifetimes.GrantPlatform)
}

func sessionIdle(c *Config, value string) error {
	return between(value, 5*time.Minute, 365*day, &c.Lifetimes.SessionIdle)
}

func sessionAbsolute(c *Config, value string) error {
	return between(value, 5*time.Minute, 365*day, &c.Lifetimes.SessionAbsolute)
}

// serviceAccountExpiry is never shorter than the longest life of a token, so
// that no token outlives its account.
func serviceAccountExpiry(c *Config, value string) error {
	return between(value, day, 3650*day, &c.ServiceAccountExpiry)
}

func refreshGrace(c *Config, value string) error {
	return between(value, 0, time.Minute, &c.Lifetimes.RefreshGrace)
}

func requestLimit(c *Config, value string) error {
	return between(value, time.Second, time.Minute, &c.RequestLimit)
}

func lameDuck(c *Config, value string) error {
	return between(value, 0, 5*time.Minute, &c.LameDuck)
}

func drain(c *Config, value string) error {
	return between(value, time.Second, time.Hour, &c.Drain)
}

func auditRetention(c *Config, value string) error {
	err := between(value, 0, 3650*day, &c.AuditRetention)
	if err == nil && c.AuditRetention > 0 && c.AuditRetention < day {
		err = errors.New("expected 1d to 3650d, or 0s")
	}
	return err
}

func between(value string, least, most time.Duration, into *time.Duration) error {
	d, err := parseDuration(value)
	if err != nil {
		return err
	}
	if d < least || d > most {
		return fmt.Errorf("expected %s to %s", formatDuration(least), formatDuration(most))
	}
	if d != d.Truncate(time.Second) {
		return errors.New("expected whole seconds")
	}
	*into = d
	return nil
}

// parseDuration is time.ParseDuration with whole days besides, as in 15d.
func parseDuration(value string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(value, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 12); err == nil {
			return time.Duration(n) * day, nil
		}
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		return 0, errors.New("expected a duration, as in 90s, 60m or 15d")
	}
	return d, nil
}

func formatDuration(d time.Duration) string {
	if d > day && d%day == 0 {
		return strconv.Itoa(int(d/day)) + "d"
	}
	s := d.String()
	s, _ = strings.CutSuffix(s, "m0s")
	if s != d.String() {
		s += "m"
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
