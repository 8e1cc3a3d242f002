package storage

import (
	"context"
	"time"
)

// LogoutDelivery is the duty to tell one client that a session it knows has
// ended (OpenID Connect Back-Channel Logout 1.0), and what became of it. It is
// made by whatever ends the session, in the same transaction, so that none is
// lost; it goes KeepLogoutDeliveries later.
type LogoutDelivery struct {
	ID        int64 // grows with time
	ClientID  string
	URI       string // where to: the client's BackchannelLogoutURI as it is now
	UserID    string // the sub; the user may be gone
	SessionID string // the sid
	Progress
}

// KeepLogoutDeliveries is how long a delivery can be looked at.
const KeepLogoutDeliveries = 7 * 24 * time.Hour

// LogoutDeliveryStore knows which clients take part in a session, and keeps
// what they are to be told of its end.
type LogoutDeliveryStore interface {
	// JoinSession notes that the client was told of the session: it will be
	// told of its end as well. Repeating it is no error. NotFound when the
	// session has ended or the client is absent.
	JoinSession(ctx context.Context, sessionID, clientID string) error

	// ListDueLogouts returns deliveries whose time has come, longest due first:
	// at most limit, and of one client at most perClient, so that a client
	// whose server is down does not hold up the others. Deliveries to clients
	// that are disabled or have no BackchannelLogoutURI any more are left out.
	ListDueLogouts(ctx context.Context, now time.Time, limit, perClient int) ([]LogoutDelivery, error)

	// RecordLogoutAttempt counts an attempt and notes how it went. An absent
	// delivery is no error.
	RecordLogoutAttempt(ctx context.Context, attempt DeliveryAttempt) error

	// ListLogoutDeliveries returns a page of the client's deliveries, newest
	// first, and the next cursor.
	ListLogoutDeliveries(ctx context.Context, clientID string, page PageRequest) ([]LogoutDelivery, string, error)
}
