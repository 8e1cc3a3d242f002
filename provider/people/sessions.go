package people

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Sessions returns the user's sign-ins that have not ended, the newest first.
func (p *People) Sessions(ctx context.Context, userID string) ([]storage.LoginSession, error) {
	now, idleSince := p.ambient.Now(), time.Unix(0, 0)
	if p.idle > 0 {
		idleSince = now.Add(-p.idle)
	}
	return p.store.ListSessions(ctx, userID, now, idleSince)
}

// EndSession ends one sign-in of the user. NotFound for what is none of theirs.
func (p *People) EndSession(ctx context.Context, act storage.Act, userID, id string) error {
	sessions, err := p.Sessions(ctx, userID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(sessions, func(s storage.LoginSession) bool { return s.ID == id }) {
		return fault.New(fault.NotFound, "session_not_found", "There is no such sign-in.")
	}
	return p.store.EndSession(ctx, act, id)
}

// EndSessions signs the user out everywhere: all sign-ins and grants end.
func (p *People) EndSessions(ctx context.Context, act storage.Act, userID string) error {
	return p.store.EndSessions(ctx, act, userID, "")
}

// AuditEvent returns the event of the audit trail with the id, or NotFound.
func (p *People) AuditEvent(ctx context.Context, id string) (storage.AuditEvent, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return storage.AuditEvent{}, noEvent()
	}
	event, err := p.store.FindAudit(ctx, number)
	if fault.Is(err, fault.NotFound) {
		return storage.AuditEvent{}, noEvent().Because(err)
	}
	return event, err
}

func noEvent() *fault.Error {
	return fault.New(fault.NotFound, ReasonNoEvent, "There is no such event.")
}

// Audit returns a page of the audit trail, the newest first, and the next
// cursor. Of the filter actor and subject may be addresses or user names, and names of
// groups.
func (p *People) Audit(ctx context.Context, filter storage.AuditFilter,
	page storage.PageRequest) ([]storage.AuditEvent, string, error) {
	for _, who := range []*string{&filter.ActorID, &filter.Subject} {
		if err := p.identify(ctx, who); err != nil {
			return nil, "", err
		}
	}
	return p.store.ListAudit(ctx, filter, page)
}

// identify makes an id of what somebody typed for it.
func (p *People) identify(ctx context.Context, typed *string) error {
	if *typed == "" {
		return nil
	}
	user, _, err := p.store.FindUserByLogin(ctx, *typed)
	if err == nil {
		*typed = user.ID
	}
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	group, err := p.store.FindUserGroupByName(ctx, *typed)
	if err == nil {
		*typed = group.ID
	}
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}
