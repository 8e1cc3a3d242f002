package sealing

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

// ErrSigned is what Verify returns for a text that Sign did not make under this
// ring and label, or that was changed since.
var ErrSigned = errors.New("sealing: this text was not signed here")

// Sign returns v as text that can stand in a URL: its JSON with the MAC of it,
// both base64url (RFC 4648, 5). Everybody can read what it says.
func (r *Ring) Sign(label string, v any) (string, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode(body) + "." + encode(r.MAC(label, body)), nil
}

// Verify decodes into v what Sign made a text of, or returns ErrSigned.
func (r *Ring) Verify(label, text string, v any) error {
	first, second, _ := strings.Cut(text, ".")
	body, bodyErr := Decode(first)
	code, codeErr := Decode(second)
	if bodyErr != nil || codeErr != nil || !r.CheckMAC(label, code, body) {
		return ErrSigned
	}
	if json.Unmarshal(body, v) != nil {
		return ErrSigned
	}
	return nil
}
