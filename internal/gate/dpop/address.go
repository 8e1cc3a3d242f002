package dpop

import (
	"net/url"
	"strings"
)

// normal returns an address in the spelling that all its spellings have in common
// (RFC 3986, 6.2.2 and 6.2.3), without query and fragment, or "" for what is none.
// Slashes that lead the path are one, as they are before routing (decision J9). Dots in
// the path stay: nobody who means well sends them.
func normal(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Opaque != "" {
		return ""
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	default:
		return ""
	}
	path := "/" + strings.TrimLeft(u.EscapedPath(), "/")
	return scheme + "://" + strings.TrimSuffix(host, ":") + unescaped(path)
}

// unescaped writes every character of a path that needs no escape without one, and
// the other escapes in upper case.
func unescaped(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' || i+2 >= len(path) {
			b.WriteByte(path[i])
			continue
		}
		escape := strings.ToUpper(path[i : i+3])
		if plain, err := url.PathUnescape(escape); err == nil && unreserved(plain[0]) {
			escape = plain
		}
		b.WriteString(escape)
		i += 2
	}
	return b.String()
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
