package provider

import "github.com/portico-id/portico/internal/fault"

// errClientAuth is deliberately one answer for every cause: unknown client,
// disabled client, wrong, missing or unexpected secret.
var errClientAuth = fault.New(fault.Unauthenticated, "invalid_client", "The client credentials are invalid.")

var errTwoPlaces = fault.New(fault.Invalid, "invalid_request",
	"Send the client credentials in the Authorization header or in the body, not in both.")

// errText is a cause made of plain words, for the log.
type errText string

func (e errText) Error() string { return string(e) }
