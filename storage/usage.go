package storage

import (
	"context"
	"time"
)

// UsageSpan is how long a time is that usage is counted for.
type UsageSpan string

// The spans. Both begin on the hour and the day of UTC.
const (
	UsageHour UsageSpan = "hour"
	UsageDay  UsageSpan = "day"
)

// Length is how long a span is.
func (s UsageSpan) Length() time.Duration {
	if s == UsageHour {
		return time.Hour
	}
	return 24 * time.Hour
}

// How long counts are kept.
const (
	KeepUsageHours = 3 * 24 * time.Hour
	KeepUsageDays  = 366 * 24 * time.Hour
	KeepCrowds     = 2 * 24 * time.Hour // what people are counted by
)

// UsageCounts are what was counted.
type UsageCounts struct {
	SignIns int64 // of people, to the server or to the app
	Tokens  int64 // access tokens that were issued
	Refused int64 // requests
	Failed  int64 // requests, by our own fault
}

// Usage is how much was used in a span, of an app or of the whole server.
type Usage struct {
	Began  time.Time
	People int64 // different ones
	UsageCounts
}

// UsageAdded is what one server has counted in some moments of an hour.
type UsageAdded struct {
	ClientID string // empty: of the whole server
	Hour     time.Time
	Crowd    Crowd
	UsageCounts
}

// UsageStore keeps how much is used.
type UsageStore interface {
	// AddUsage adds to the hours, and the days of these, in one transaction. Of any
	// number of servers the counts add up, and the crowds become one. What is of absent
	// clients is passed over.
	AddUsage(ctx context.Context, added []UsageAdded) error

	// ListUsage returns what was counted of the client ("": the server) since a time,
	// the oldest first. Spans in which nothing was are not among it.
	ListUsage(ctx context.Context, clientID string, span UsageSpan, since time.Time) ([]Usage, error)
}
