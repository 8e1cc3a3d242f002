package redirecturi

import (
	"net/url"
	"strings"
)

// CheckOrigin reports why the text is not a browser origin in the form in
// which browsers send it, or nil: scheme://host[:port] in lower case, without
// the scheme's own port and without a path. The source is FieldOrigin.
func CheckOrigin(raw string) error {
	u, err := parse(raw)
	if err != nil {
		return err.At(FieldOrigin)
	}
	if err := checkWeb(u); err != nil {
		return err.At(FieldOrigin)
	}
	if canonical := originOf(u); raw != canonical {
		return invalidf(ReasonOrigin, "must be written as browsers send it, %s", canonical).At(FieldOrigin)
	}
	return nil
}

func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	}
	if u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}
