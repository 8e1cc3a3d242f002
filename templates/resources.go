package templates

import "io"

// ResourceRow is a resource in a list.
type ResourceRow struct {
	URL      string
	Name     string
	Address  string
	Disabled bool
}

// ResourcesPage lists the services that access tokens are for. Ids: resources, and
// those of the form.
type ResourcesPage struct {
	Desk
	Back      Link
	Resources []ResourceRow
	Create    Form
}

// Resources writes the list of resources.
func (p *Pages) Resources(w io.Writer, page ResourcesPage) error {
	return p.render(w, "resources", page)
}

// ResourcePage is one resource. Ids: delete-resource, and those of the form and the
// button.
type ResourcePage struct {
	Desk
	Back      Link
	Name      string
	Disabled  bool
	Facts     []Fact
	Edit      Form
	Switch    Button
	DeleteURL string
}

// Resource writes the page of one resource.
func (p *Pages) Resource(w io.Writer, page ResourcePage) error { return p.render(w, "resource", page) }
