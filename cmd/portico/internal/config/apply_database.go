package config

import (
	"errors"
	"net/url"
	"strings"

	"github.com/portico-id/portico/internal/sealing"
)

func applyDatabaseURL(c *Config, value string) error {
	c.DatabaseURL = sealing.Secret(value)
	if path, ok := strings.CutPrefix(value, sqlitePrefix); ok {
		if path == "" || strings.ContainsAny(path, "?#") {
			return errors.New("expected sqlite: followed by the path of a file without ? and #")
		}
		return nil
	}
	return checkPostgres(value)
}

func applyNotifyURL(c *Config, value string) error {
	c.DatabaseNotify = sealing.Secret(value)
	return checkPostgres(value)
}

// checkPostgres looks at the hosts of a URL one by one: package url knows of one.
func checkPostgres(value string) error {
	malformed := errors.New("expected sqlite:PATH or postgres://user:password@host/name")
	scheme, rest, _ := strings.Cut(value, "://")
	if scheme != "postgres" && scheme != "postgresql" {
		return malformed
	}
	end := strings.IndexAny(rest+"/", "/?#")
	user := rest[:strings.LastIndex(rest[:end], "@")+1]
	for host := range strings.SplitSeq(rest[len(user):end], ",") {
		if _, err := url.Parse(scheme + "://" + host); err != nil {
			return malformed
		}
	}
	u, err := url.Parse(scheme + "://" + user + "host" + rest[end:])
	if err != nil {
		return malformed
	}
	if strings.Trim(u.Path, "/") == "" && !u.Query().Has("dbname") {
		return errors.New("expected the name of the database after the host, as in postgres://host/name")
	}
	return nil
}

func applyPooler(c *Config, value string) error {
	c.DatabasePooler = value != "off"
	c.DatabaseUnprepared = value == "on"
	return oneOf(value, "on", "prepared", "off")
}
