package moving

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// keycloakCredential is what somebody signs in with. The plain members are those of
// exports before Keycloak 8.
type keycloakCredential struct {
	Type           string
	SecretData     string
	CredentialData string

	Value      string `json:"hashedSaltedValue"`
	Salt       string
	Iterations int `json:"hashIterations"`
	Algorithm  string
}

// keycloakParameters are those of CredentialData.
type keycloakParameters struct {
	HashIterations int
	Algorithm      string
	More           map[string][]string `json:"additionalParameters"`
}

// hash returns the hash in the form that internal/password reads. One of a kind that
// is not known is written so that it is refused by its name.
func (c keycloakCredential) hash() string {
	parameters := keycloakParameters{HashIterations: c.Iterations, Algorithm: c.Algorithm}
	secret := struct{ Value, Salt string }{c.Value, c.Salt}
	if c.SecretData != "" {
		if json.Unmarshal([]byte(c.SecretData), &secret) != nil ||
			json.Unmarshal([]byte(c.CredentialData), &parameters) != nil {
			return "$malformed$"
		}
	}
	salt, sum := unpadded(secret.Salt), unpadded(secret.Value)
	switch parameters.Algorithm {
	case "argon2":
		version := map[string]int{"1.3": 19, "1.0": 16}[parameters.one("version")]
		return fmt.Sprintf("$argon2%s$v=%d$m=%s,t=%d,p=%s$%s$%s", parameters.one("type"), version,
			parameters.one("memory"), parameters.HashIterations, parameters.one("parallelism"), salt, sum)
	case "pbkdf2", "pbkdf2-sha256", "pbkdf2-sha512":
		return fmt.Sprintf("$%s$%d$%s$%s", parameters.Algorithm, parameters.HashIterations, salt, sum)
	}
	return fmt.Sprintf("$%s$%d$%s$", parameters.Algorithm, parameters.HashIterations, salt)
}

func (p keycloakParameters) one(name string) string { return strings.Join(p.More[name], " ") }

// unpadded writes base64 as PHC has it. What is none stays, and is refused.
func unpadded(text string) string {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return text
	}
	return base64.RawStdEncoding.EncodeToString(raw)
}
