package clientprofile

import (
	"crypto/sha256"
	"math/big"
	"strings"
)

const scheme = "https://"

// Described reports whether a client_id is the address of a document that says what the
// client is. No other begins so.
func Described(clientID string) bool { return strings.HasPrefix(clientID, scheme) }

// ID is what the client of an address is called here, where ids are 32 lower-case
// letters and digits; every other id is itself.
func ID(clientID string) string {
	if !Described(clientID) {
		return clientID
	}
	sum := sha256.Sum256([]byte(clientID))
	text := strings.Repeat("0", 50) + new(big.Int).SetBytes(sum[:]).Text(36)
	return text[len(text)-32:]
}

// DocumentHost is the host of an address, with its port.
func DocumentHost(address string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(address, scheme), "/")
	return host
}
