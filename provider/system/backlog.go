package system

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/gate/adminapi"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Backlog is what waits for a server to come to it.
type Backlog struct {
	storage.Waiting
	Late time.Duration // for how long the oldest of what has ended waits to be removed
}

// FindBacklog returns what waits at now, where grants are kept so long after their end.
func FindBacklog(ctx context.Context, store storage.UpkeepStore, now time.Time, keep time.Duration) (Backlog, error) {
	waiting, err := store.CountWaiting(ctx)
	if err != nil {
		return Backlog{}, err
	}
	oldest, err := store.OldestExpired(ctx, now, keep)
	if err != nil || oldest.IsZero() {
		return Backlog{Waiting: waiting}, err
	}
	return Backlog{Waiting: waiting, Late: max(0, now.Sub(oldest))}, nil
}

// facts says what waits.
func facts(b Backlog) []templates.Fact {
	changes := texts.Value(b.Changes)
	if b.Changes >= storage.MostWaiting {
		changes = texts.Say("system.waiting-more", "Count", b.Changes)
	}
	return []templates.Fact{
		{Label: texts.Say("system.mails"), Text: texts.Value(b.Mails)},
		{Label: texts.Say("system.notices"), Text: texts.Value(b.Logouts)},
		{Label: texts.Say("system.webhooks"), Text: texts.Value(b.Webhooks)},
		{Label: texts.Say("system.scans"), Text: texts.Value(b.Scans)},
		{Label: texts.Say("system.changes"), Text: changes},
		{Label: texts.Say("system.clean-up"), Text: late(b.Late)},
	}
}

// inTime is how late the clean-up is between two of its rounds.
const inTime = 2 * time.Minute

func late(by time.Duration) texts.Text {
	if by < inTime {
		return texts.Say("system.in-time")
	}
	return texts.Say("system.late", "Count", int(by.Minutes()))
}

// BacklogJSON is what waits, in the API.
type BacklogJSON struct {
	Mails          int        `json:"mails"`
	Logouts        int        `json:"logouts"`
	Webhooks       int        `json:"webhooks"`
	Scans          int        `json:"scans"`
	Changes        int        `json:"changes"`
	ChangedAt      *time.Time `json:"changed_at"`      // when the oldest of the changes was made
	CleanUpSeconds int64      `json:"cleanup_seconds"` // how long what has ended waits to be removed
}

// NewBacklogJSON returns what waits as the API has it.
func NewBacklogJSON(b Backlog) BacklogJSON {
	return BacklogJSON{
		Mails: b.Mails, Logouts: b.Logouts, Webhooks: b.Webhooks, Scans: b.Scans, Changes: b.Changes,
		ChangedAt: adminapi.Moment(b.ChangedAt), CleanUpSeconds: int64(b.Late.Seconds()),
	}
}
