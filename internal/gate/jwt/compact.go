package jwt

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/portico-id/portico/internal/sealing"
)

// parse reads a compact JWS of at most so many bytes that claims to be signed with
// one of the algorithms. It is stricter than the library, which lets one token have
// several spellings (RFC 7515, 2) and takes an empty crit: we understand no
// extension, so a header with crit is refused whatever is in it (4.1.11).
func parse(text string, most int, algorithms []string) (*jose.JSONWebSignature, error) {
	if len(text) > most {
		return nil, fmt.Errorf("longer than %d bytes", most)
	}
	parts := strings.Split(text, ".")
	for i, part := range parts {
		decoded, err := sealing.Decode(part)
		if err == nil && i == 0 {
			err = checkHeader(decoded)
		}
		if err != nil {
			return nil, err
		}
	}
	taken := make([]jose.SignatureAlgorithm, len(algorithms))
	for i, name := range algorithms {
		taken[i] = jose.SignatureAlgorithm(name)
	}
	return jose.ParseSignedCompact(text, taken)
}

func checkHeader(text []byte) error {
	var header map[string]json.RawMessage
	if err := json.Unmarshal(text, &header); err != nil {
		return err
	}
	if _, critical := header["crit"]; critical {
		return errors.New("the header has crit, and we know no extension")
	}
	return nil
}
