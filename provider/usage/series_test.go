package usage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// shelf is a store with what a test has put into it.
type shelf struct {
	storage.UsageStore
	has   []storage.Usage
	since time.Time
	span  storage.UsageSpan
}

func (s *shelf) ListUsage(_ context.Context, _ string, span storage.UsageSpan,
	since time.Time) ([]storage.Usage, error) {
	s.since, s.span = since, span
	return s.has, nil
}

var noon = time.Date(2026, 11, 25, 12, 34, 56, 0, time.UTC)

// Rule: USAGE-5
func TestASeriesHasOnePointForEachSpanUpToNow(t *testing.T) {
	for period, want := range map[Period]struct {
		points      int
		span        storage.UsageSpan
		first, last string
	}{
		Day:   {24, storage.UsageHour, "2026-11-24T13:00:00Z", "2026-11-25T12:00:00Z"},
		Month: {30, storage.UsageDay, "2026-10-27T00:00:00Z", "2026-11-25T00:00:00Z"},
		Year:  {365, storage.UsageDay, "2025-11-26T00:00:00Z", "2026-11-25T00:00:00Z"},
	} {
		store := &shelf{has: []storage.Usage{
			{Began: noon.Truncate(want.span.Length()), UsageCounts: storage.UsageCounts{Tokens: 7}},
			{Began: noon.Add(48 * time.Hour).Truncate(want.span.Length())}, // by a clock that is ahead
		}}
		s, err := find(t.Context(), store, "", period, noon)
		if err != nil || len(s.Points) != want.points || store.span != want.span || s.Span != want.span {
			t.Fatalf("%s: %d points of a %s, %v", period, len(s.Points), store.span, err)
		}
		first, last := s.Points[0], s.Points[want.points-1]
		if got := first.Began.Format(time.RFC3339); got != want.first || !store.since.Equal(first.Began) {
			t.Errorf("%s begins on %s", period, got)
		}
		if got := last.Began.Format(time.RFC3339); got != want.last || last.Tokens != 7 || first.Tokens != 0 {
			t.Errorf("%s ends on %s with %d", period, got, last.Tokens)
		}
	}
	if p, err := ReadPeriod(""); p != Month || err != nil {
		t.Errorf("without a period: %s, %v", p, err)
	}
	if _, err := ReadPeriod("week"); !fault.Is(err, fault.Invalid) || fault.From(err).Source != "period" {
		t.Errorf("a period that is none: %v", err)
	}
}

// Rule: USAGE-5
func TestChartsHaveABarForWhateverIsNotNothing(t *testing.T) {
	s, err := find(t.Context(), &shelf{has: []storage.Usage{
		{Began: noon.Truncate(24 * time.Hour), People: 9,
			UsageCounts: storage.UsageCounts{SignIns: 1000, Refused: 2, Failed: 3}},
		{Began: noon.Truncate(24 * time.Hour).Add(-24 * time.Hour), People: 4,
			UsageCounts: storage.UsageCounts{SignIns: 1}},
	}}, "", Month, noon)
	if err != nil {
		t.Fatal(err)
	}
	v := view(s, "/apps/a")
	bars := map[string]string{}
	for _, c := range v.Charts {
		bars[c.ID] = c.Path
		if c.Width != 300 || c.Height != 100 {
			t.Errorf("%s is drawn on %d × %d", c.ID, c.Width, c.Height)
		}
	}
	for id, want := range map[string]string{
		"sign-ins": "M280 100v-2h8v2zM290 100v-100h8v100z", "people": "M280 100v-44h8v44zM290 100v-100h8v100z",
		"tokens": "", "errors": "M290 100v-100h8v100z",
	} {
		if got, there := bars[id]; got != want || !there {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	says := fmt.Sprint(v.Charts)
	for _, part := range []string{"usage.sum.day [All 1001 Most 1000]", "usage.most.day [Most 9]", "usage.none",
		"[All 5 Most 5]"} {
		if !strings.Contains(says, part) {
			t.Errorf("%s is not said in %s", part, says)
		}
	}
	if last := v.Lines[29]; len(v.Lines) != 30 || last.Refused != 2 || last.Failed != 3 || last.People != 9 {
		t.Errorf("%+v", v.Lines)
	}
	if len(v.Periods) != 3 || !v.Periods[1].Shown || v.Periods[2].URL != "/apps/a?period=year#usage" {
		t.Errorf("%+v", v.Periods)
	}
}

// Rule: USAGE-5
func TestAYearIsDrawnByWeeks(t *testing.T) {
	store := &shelf{}
	for day := range 365 {
		store.has = append(store.has, storage.Usage{Began: noon.Truncate(24*time.Hour).AddDate(0, 0, -day),
			People: int64(day % 7), UsageCounts: storage.UsageCounts{SignIns: 1}})
	}
	s, err := find(t.Context(), store, "", Year, noon)
	if err != nil {
		t.Fatal(err)
	}
	weeks := s.weeks()
	if n := len(weeks); n != 53 || weeks[0].SignIns != 1 || weeks[1].SignIns != 7 || weeks[52].SignIns != 7 ||
		weeks[52].People != 6 || !weeks[52].Began.Equal(noon.Truncate(24*time.Hour).AddDate(0, 0, -6)) {
		t.Errorf("%d weeks: %+v", n, weeks)
	}
	for _, c := range view(s, "/").Charts { // up to today, not up to where the last week began
		if want := label(storage.UsageDay, noon.Truncate(24*time.Hour)); fmt.Sprint(c.To) != fmt.Sprint(want) {
			t.Errorf("%s ends on %v", c.ID, c.To)
		}
	}
	if lines := view(s, "/").Lines; len(lines) != 53 || len(NewJSON(s).Items) != 365 {
		t.Errorf("%d lines", len(lines))
	}
}
