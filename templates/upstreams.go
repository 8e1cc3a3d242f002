package templates

import (
	"io"

	"github.com/portico-id/portico/templates/texts"
)

// UpstreamRow is an upstream in a list.
type UpstreamRow struct {
	URL      string
	Name     string
	ID       string
	Disabled bool
}

// UpstreamsPage lists the upstreams by which people sign in. Ids: upstreams, and those
// of the form.
type UpstreamsPage struct {
	Desk
	Back      Link
	Upstreams []UpstreamRow
	Create    Form
}

// Upstreams writes the list of upstreams.
func (p *Pages) Upstreams(w io.Writer, page UpstreamsPage) error {
	return p.render(w, "upstreams", page)
}

// StepRow is a step of a test.
type StepRow struct {
	Name   texts.Text
	Detail string // why it failed
	Failed bool
}

// UpstreamPage is one upstream. Ids: steps, test-upstream, delete-upstream, and those of
// the form and the button.
type UpstreamPage struct {
	Desk
	Back      Link
	Name      string
	Disabled  bool
	Facts     []Fact
	Steps     []StepRow // of a test; none: there was none
	Edit      Form
	Switch    Button
	TestURL   string
	DeleteURL string
}

// Upstream writes the page of one upstream.
func (p *Pages) Upstream(w io.Writer, page UpstreamPage) error { return p.render(w, "upstream", page) }
