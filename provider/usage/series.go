package usage

import (
	"context"
	"slices"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Period is what a series is of.
type Period string

// The periods, up to now.
const (
	Day   Period = "day"   // 24 hours
	Month Period = "month" // 30 days
	Year  Period = "year"  // 365 days
)

// Periods are all there are.
func Periods() []Period { return []Period{Day, Month, Year} }

// ReadPeriod returns the period of the name; empty is a month.
func ReadPeriod(name string) (Period, error) {
	if name == "" {
		return Month, nil
	}
	if p := Period(name); slices.Contains(Periods(), p) {
		return p, nil
	}
	return "", fault.New(fault.Invalid, "invalid_request", "period must be one of day, month and year.").At("period")
}

// spans is how many spans of what length a period has.
func (p Period) spans() (int, storage.UsageSpan) {
	switch p {
	case Day:
		return 24, storage.UsageHour
	case Year:
		return 365, storage.UsageDay
	}
	return 30, storage.UsageDay
}

// Series is what was used in a period.
type Series struct {
	Period Period
	Span   storage.UsageSpan
	Points []storage.Usage // one for each span, the oldest first; the last is not over
}

func find(ctx context.Context, store storage.UsageStore, clientID string, p Period, now time.Time) (Series, error) {
	n, span := p.spans()
	length := span.Length()
	first := now.UTC().Truncate(length).Add(-time.Duration(n-1) * length)
	found, err := store.ListUsage(ctx, clientID, span, first)
	if err != nil {
		return Series{}, err
	}
	s := Series{Period: p, Span: span, Points: make([]storage.Usage, n)}
	for i := range s.Points {
		s.Points[i].Began = first.Add(time.Duration(i) * length)
	}
	for _, one := range found {
		if i := int(one.Began.Sub(first) / length); i < n { // a clock of another server may be ahead
			s.Points[i] = one
		}
	}
	return s, nil
}

// daysOfWeek is how many days a bar of a year's chart stands for.
const daysOfWeek = 7

// weeks adds the days of a series up, so that the last week is whole. Of people, whom
// nobody knows from one day to the next, it has the day with most.
func (s Series) weeks() []storage.Usage {
	var weeks []storage.Usage
	for end := len(s.Points); end > 0; end -= daysOfWeek {
		days := s.Points[max(0, end-daysOfWeek):end]
		week := storage.Usage{Began: days[0].Began}
		for _, day := range days {
			week.SignIns += day.SignIns
			week.Tokens += day.Tokens
			week.Refused += day.Refused
			week.Failed += day.Failed
			week.People = max(week.People, day.People)
		}
		weeks = append(weeks, week)
	}
	slices.Reverse(weeks)
	return weeks
}
