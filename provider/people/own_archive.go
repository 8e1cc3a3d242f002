package people

import (
	"context"
	"time"

	"github.com/portico-id/portico/storage"
)

// TellProfile tells what is kept about the person themselves, for their archive.
func (p *People) TellProfile(_ context.Context, user storage.User, tell func(any) error) error {
	return tell(newUserJSON(user))
}

// SessionJSON is a sign-in of a person.
type SessionJSON struct {
	ID         string    `json:"id"`
	UserAgent  string    `json:"user_agent"`
	Address    string    `json:"address"`
	CreatedAt  time.Time `json:"created_at"`
	AuthTime   time.Time `json:"auth_time"`
	LastSeenAt time.Time `json:"last_seen_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}

// NewSessionJSON tells of a sign-in.
func NewSessionJSON(s storage.LoginSession) SessionJSON {
	return SessionJSON{
		ID: s.ID, UserAgent: s.UserAgent, Address: s.Address,
		CreatedAt: s.CreatedAt, AuthTime: s.AuthTime, LastSeenAt: s.LastSeenAt, ExpiresAt: s.ExpiresAt,
	}
}

// TellSessions tells where the person is signed in, for their archive.
func (p *People) TellSessions(ctx context.Context, user storage.User, tell func(any) error) error {
	sessions, err := p.Sessions(ctx, user.ID)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		if err := tell(NewSessionJSON(s)); err != nil {
			return err
		}
	}
	return nil
}
