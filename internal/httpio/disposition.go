package httpio

import "strings"

// Disposition writes a Content-Disposition that says no more than it should: the
// name in ASCII without what could end it, and whole in the form of RFC 8187.
func Disposition(inline bool, name string) string {
	kind := "attachment"
	if inline {
		kind = "inline"
	}
	plain := strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' || strings.ContainsRune(`"\%/;`, c) {
			return '_'
		}
		return c
	}, name)
	return kind + `; filename="` + plain + `"; filename*=UTF-8''` + extended(name)
}

// extended percent-encodes everything but the attr-char of RFC 8187.
func extended(name string) string {
	const kept = "!#$&+-.^_`|~"
	var b strings.Builder
	for _, c := range []byte(name) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if letter || c >= '0' && c <= '9' || strings.IndexByte(kept, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + strings.ToUpper(string("0123456789abcdef"[c>>4])+string("0123456789abcdef"[c&15])))
	}
	return b.String()
}
