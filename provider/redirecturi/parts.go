package redirecturi

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
)

// loopbacks are the only hosts whose port Match passes over.
var loopbacks = [...]string{"http://127.0.0.1", "http://[::1]", "http://localhost"}

// sameButPort reports whether both are http on the same loopback host with
// an equal rest. It compares text, so nothing a URL parser is lenient about
// can slip through.
func sameButPort(a, b string) bool {
	for _, literal := range loopbacks {
		restA, okA := afterPort(a, literal)
		restB, okB := afterPort(b, literal)
		if okA && okB {
			return restA == restB
		}
	}
	return false
}

// afterPort returns what follows the prefix and an optional port.
func afterPort(uri, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(uri, prefix)
	if !ok {
		return "", false
	}
	if port, found := strings.CutPrefix(rest, ":"); found {
		digits := len(port) - len(strings.TrimLeft(port, "0123456789"))
		if !isPort(port[:digits]) {
			return "", false
		}
		rest = port[digits:]
	}
	return rest, rest == "" || rest[0] == '/' || rest[0] == '?'
}

// parse reads an absolute URI and refuses what no address of a client may
// have, whatever its scheme.
func parse(raw string) (*url.URL, *fault.Error) {
	if err := checkText(raw); err != nil {
		return nil, err
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, invalidf(ReasonMalformed, "must be a complete URI, such as https://app.example.com/callback").Because(err)
	case u.Scheme == "":
		return nil, invalidf(ReasonMalformed, "must be absolute, such as https://app.example.com/callback")
	case !strings.HasPrefix(raw, u.Scheme+":"):
		return nil, invalidf(ReasonMalformed, "must have its scheme in lower case, %s:", u.Scheme)
	case u.User != nil:
		return nil, invalidf(ReasonUserInfo, "must not name a user before the host")
	}
	return u, nil
}

// checkText looks at single characters: only those of RFC 3986 can be part of
// a URI, and the ones that people mean as a pattern get their own reason.
func checkText(raw string) *fault.Error {
	switch {
	case raw == "":
		return invalidf(ReasonMalformed, "must not be empty")
	case len(raw) > MaxLength:
		return invalidf(ReasonMalformed, "must not be longer than %d characters", MaxLength)
	case strings.Contains(raw, "*"):
		return invalidf(ReasonPattern, "must be one exact address; * is not a wildcard here")
	case strings.Contains(raw, "#"):
		return invalidf(ReasonFragment, "must not have a fragment, the part after #")
	}
	for i := range len(raw) {
		if !uriByte(raw[i]) {
			return invalidf(ReasonMalformed, "has a character at position %d that a URI can't hold; write it percent-encoded, a host name with letters outside ASCII in its xn-- form", i+1)
		}
	}
	return nil
}

func uriByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		strings.IndexByte("-._~:/?[]@!$&'()+,;=%", c) >= 0
}

// checkHost looks at host and port of an http(s) address.
func checkHost(u *url.URL) *fault.Error {
	host, port := u.Hostname(), u.Port()
	if strings.HasSuffix(u.Host, ":") || port != "" && !isPort(port) {
		return invalidf(ReasonMalformed, "has a port that is not a number from 1 to 65535")
	}
	if strings.HasPrefix(u.Host, "[") && !strings.Contains(host, "%") {
		return nil // url.Parse has read the IPv6 address
	}
	for i := range len(host) {
		c := host[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '-' && c != '.' && c != '_' {
			return invalidf(ReasonMalformed, "has a host name with characters other than letters, digits, dots and dashes")
		}
	}
	return nil
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && s[0] != '0'
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

func invalidf(reason, format string, args ...any) *fault.Error {
	return fault.Newf(fault.Invalid, reason, format, args...)
}
