package server

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

const (
	addUsage = `
WITH n (client_id, span, began, sign_ins, tokens, refused, failed) AS (%s)
INSERT INTO usage_counts (client_id, span, began, sign_ins, people, tokens, refused, failed, crowd)
SELECT nullif(client_id, ''), span, began, sign_ins, 0, tokens, refused, failed, ''
FROM n WHERE client_id = '' OR client_id IN (SELECT id FROM clients)
ON CONFLICT (coalesce(client_id, ''), span, began) DO UPDATE SET sign_ins = usage_counts.sign_ins + excluded.sign_ins,
	tokens = usage_counts.tokens + excluded.tokens, refused = usage_counts.refused + excluded.refused,
	failed = usage_counts.failed + excluded.failed
RETURNING id, coalesce(client_id, '') AS client_id, span, began, people, crowd`

	setCrowds = `
WITH n (id, people, crowd) AS (%s)
UPDATE usage_counts SET people = n.people, crowd = n.crowd FROM n WHERE usage_counts.id = n.id`

	selectUsage = `
SELECT began, sign_ins, people, tokens, refused, failed FROM usage_counts
WHERE coalesce(client_id, '') = :client_id AND span = :span AND began >= :since ORDER BY began`

	forgetCrowds = `
UPDATE usage_counts SET crowd = '' WHERE id IN (
	SELECT id FROM usage_counts WHERE crowd <> '' AND began <= :before LIMIT :limit)`
)

var (
	sweepUsageHours = engine.Sweeping("usage_counts", "id", "span = 'hour' AND began <= :before")
	sweepUsageDays  = engine.Sweeping("usage_counts", "id", "span = 'day' AND began <= :before")
)

// span is a row of the table.
type span struct {
	ClientID string
	Span     storage.UsageSpan
	Began    time.Time
}

// counted is what is there of a span once something was added.
type counted struct {
	ID int64
	span
	People int64
	Crowd  string
}

// AddUsage implements storage.UsageStore. All servers take the rows in one order, so that
// none waits for another in a circle. What is lost by a power cut was not much; what is
// there and called failed would be added once more.
func (s *Server) AddUsage(ctx context.Context, added []storage.UsageAdded) error {
	if len(added) == 0 {
		return nil
	}
	sums := inSpans(added)
	rows := make([][]any, 0, len(sums))
	crowds := map[span]storage.Crowd{}
	for _, one := range sums {
		rows = append(rows, []any{one.ClientID, string(one.Span), one.Began.UnixMicro(), one.SignIns, one.Tokens,
			one.Refused, one.Failed})
		crowds[one.span] = one.Crowd
	}
	return s.db.ActUnsynced(ctx, func(tx engine.Tx) error {
		var there []counted
		if err := engine.ListRows(ctx, tx, &there, addUsage, rows); err != nil {
			return err
		}
		changed, err := grown(there, crowds)
		if err != nil || len(changed) == 0 {
			return err
		}
		return tx.ExecRows(ctx, setCrowds, changed)
	})
}

// sum is what is added to a span.
type sum struct {
	span
	Crowd storage.Crowd
	storage.UsageCounts
}

// inSpans adds up what comes to the same hour, and to the same day.
func inSpans(added []storage.UsageAdded) []sum {
	all := map[span]*sum{}
	for _, one := range added {
		for _, s := range []storage.UsageSpan{storage.UsageHour, storage.UsageDay} {
			key := span{one.ClientID, s, one.Hour.UTC().Truncate(s.Length())}
			if all[key] == nil {
				all[key] = &sum{span: key}
			}
			all[key].add(one)
		}
	}
	sums := make([]sum, 0, len(all))
	for _, one := range all {
		sums = append(sums, *one)
	}
	slices.SortFunc(sums, func(a, b sum) int {
		return cmp.Or(cmp.Compare(a.ClientID, b.ClientID), cmp.Compare(a.Span, b.Span), a.Began.Compare(b.Began))
	})
	return sums
}

func (s *sum) add(one storage.UsageAdded) {
	s.SignIns += one.SignIns
	s.Tokens += one.Tokens
	s.Refused += one.Refused
	s.Failed += one.Failed
	s.Crowd = s.Crowd.Met(one.Crowd...)
}

// grown returns the rows whose crowds have grown. Where a crowd was forgotten there are
// not fewer people than were counted by then.
func grown(there []counted, by map[span]storage.Crowd) ([][]any, error) {
	var changed [][]any
	for _, row := range there {
		row.Began = row.Began.UTC()
		if len(by[row.span]) == 0 {
			continue
		}
		was, err := storage.ParseCrowd(row.Crowd)
		if err != nil {
			return nil, err
		}
		if is := was.Met(by[row.span]...); !slices.Equal(is, was) {
			changed = append(changed, []any{row.ID, max(row.People, is.People()), is.String()})
		}
	}
	return changed, nil
}

// ListUsage implements storage.UsageStore.
func (s *Server) ListUsage(ctx context.Context, clientID string, length storage.UsageSpan,
	since time.Time) ([]storage.Usage, error) {
	return engine.All[storage.Usage](ctx, s.db, selectUsage,
		engine.Args{"client_id": clientID, "span": string(length), "since": since})
}
