package usage

import (
	"fmt"
	"strings"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// words are what a series is called by its period.
type words struct{ name, sum, most texts.Text }

func wordsOf(p Period, all, most int) words {
	switch p {
	case Day:
		return words{texts.Say("usage.period.day"), texts.Say("usage.sum.hour", "All", all, "Most", most),
			texts.Say("usage.most.hour", "Most", most)}
	case Year:
		return words{texts.Say("usage.period.year"), texts.Say("usage.sum.week", "All", all, "Most", most),
			texts.Say("usage.most.day", "Most", most)}
	}
	return words{texts.Say("usage.period.month"), texts.Say("usage.sum.day", "All", all, "Most", most),
		texts.Say("usage.most.day", "Most", most)}
}

// view is the part of a page that shows a series. The page, at the path, shows another
// period when it is asked with its name.
func view(s Series, path string) templates.Usage {
	points := s.Points
	if s.Period == Year {
		points = s.weeks()
	}
	var v templates.Usage
	for _, p := range Periods() {
		v.Periods = append(v.Periods, templates.UsagePeriod{URL: path + "?period=" + string(p) + "#usage",
			Text: wordsOf(p, 0, 0).name, Shown: p == s.Period})
	}
	for _, c := range []struct {
		id    string
		title texts.Text
		of    func(storage.Usage) int64
	}{
		{"sign-ins", texts.Say("usage.sign-ins"), func(u storage.Usage) int64 { return u.SignIns }},
		{"people", texts.Say("usage.people"), func(u storage.Usage) int64 { return u.People }},
		{"tokens", texts.Say("usage.tokens"), func(u storage.Usage) int64 { return u.Tokens }},
		{"errors", texts.Say("usage.errors"), func(u storage.Usage) int64 { return u.Refused + u.Failed }},
	} {
		chart := draw(points, c.of)
		chart.ID, chart.Title = c.id, c.title
		w := wordsOf(s.Period, chart.sum, chart.most)
		if chart.Says = w.sum; c.id == "people" {
			chart.Says = w.most
		}
		if chart.most == 0 {
			chart.Says = texts.Say("usage.none")
		}
		chart.From, chart.To = label(s.Span, points[0].Began), label(s.Span, s.Points[len(s.Points)-1].Began)
		v.Charts = append(v.Charts, chart.Chart)
	}
	for _, p := range points {
		v.Lines = append(v.Lines, templates.UsageLine{Began: label(s.Span, p.Began), SignIns: int(p.SignIns),
			People: int(p.People), Tokens: int(p.Tokens), Refused: int(p.Refused), Failed: int(p.Failed)})
	}
	return v
}

// label says when a span began: an hour as people's clocks have it, a day as all count it.
func label(span storage.UsageSpan, began time.Time) texts.Text {
	if span == storage.UsageHour {
		return texts.Value(began)
	}
	return texts.Value(texts.Day(began))
}

// drawn is a chart with what its bars add up to.
type drawn struct {
	templates.Chart
	sum, most int
}

// A bar and the gap behind it are so wide, and the largest bar is so high.
const (
	barWidth = 8
	barStep  = 10
	barMost  = 100
)

// draw makes a path of bars. Whatever is not nothing can be seen.
func draw(points []storage.Usage, of func(storage.Usage) int64) drawn {
	d := drawn{Chart: templates.Chart{Width: barStep * len(points), Height: barMost}}
	for _, p := range points {
		d.sum, d.most = d.sum+int(of(p)), max(d.most, int(of(p)))
	}
	var path strings.Builder
	for i, p := range points {
		if n := int(of(p)); n > 0 {
			height := max(2, n*barMost/d.most)
			_, _ = fmt.Fprintf(&path, "M%d %dv-%dh%dv%dz", i*barStep, barMost, height, barWidth, height)
		}
	}
	d.Path = path.String()
	return d
}
