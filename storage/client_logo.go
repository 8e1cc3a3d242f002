package storage

import "context"

// ClientLogo is the picture that stands for a client on our pages.
type ClientLogo struct {
	Hash    string // names the picture: lower-case hexadecimal digits
	Unmarks bool   // the operator's mark goes with the logo before it, also one that is being given
	Picture []byte // PNG
}

// ClientLogoStore keeps the pictures that stand for clients. They are apart
// from the clients, which are read at every request.
type ClientLogoStore interface {
	// SetClientLogo gives the client the logo in place of the one before; the
	// same again changes nothing of it. NotFound for an absent client.
	SetClientLogo(ctx context.Context, act Act, clientID string, logo ClientLogo) error

	// DeleteClientLogo takes it away. NotFound when there is none.
	DeleteClientLogo(ctx context.Context, act Act, clientID string) error

	// FindClientLogo returns the Hash of the client's logo; empty: it has none,
	// or there is no such client.
	FindClientLogo(ctx context.Context, clientID string) (hash string, err error)

	// FindLogo returns the picture with the hash, whoever has it. NotFound.
	FindLogo(ctx context.Context, hash string) (picture []byte, err error)
}
