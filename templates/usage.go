package templates

import "github.com/portico-id/portico/templates/texts"

// Usage is the part of a page with charts of what was used. Ids: usage, usage-figures,
// and chart-ID of each chart.
type Usage struct {
	Periods []UsagePeriod
	Charts  []Chart
	Lines   []UsageLine
}

// UsagePeriod is a way to the charts of a period.
type UsagePeriod struct {
	URL   string
	Text  texts.Text
	Shown bool // it is the one that is shown
}

// Chart is a row of bars.
type Chart struct {
	ID            string
	Title         texts.Text
	Says          texts.Text // in words
	From, To      texts.Text // when the first bar begins, and the last
	Width, Height int        // of what the path is drawn on
	Path          string     // of the bars, as SVG has it
}

// UsageLine is the figures of one bar of each chart.
type UsageLine struct {
	Began                                    texts.Text
	SignIns, People, Tokens, Refused, Failed int
}
