package relations

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

const typeLinks = "links"

// linkIdentifier is a link on the wire. Its facts are all in its meta.
type linkIdentifier struct {
	Type string   `json:"type"`
	ID   string   `json:"id"`
	Meta linkMeta `json:"meta"`
}

type linkMeta struct {
	Link      *jsonapi.Link   `json:"link"`
	MimeType  string          `json:"mimeType,omitempty"`
	Extension shape.Extension `json:"extension"`
}

func showLink(s shape.Shape, l storage.Link) linkIdentifier {
	return linkIdentifier{Type: typeLinks, ID: l.ID, Meta: linkMeta{
		Link: jsonapi.To(l.Href), MimeType: l.MimeType, Extension: s.Extension(l.Extension, linkType(s), shape.NoData{}),
	}}
}

func linkType(s shape.Shape) string { return typeLinks + ":" + string(s.URN) + ".core:Link" }

func showLinks(s shape.Shape, all []storage.Link) []linkIdentifier {
	data := make([]linkIdentifier, len(all))
	for i, link := range all {
		data[i] = showLink(s, link)
	}
	return data
}

// listLinks serves GET …/relationships/links of a folder, an item or a version.
func (h on) listLinks(w http.ResponseWriter, r *http.Request) error {
	q, err := jsonapi.Rules{Paged: true}.Parse(r)
	if err != nil {
		return err
	}
	at, err := h.reachOwner(r)
	if err != nil {
		return err
	}
	page, err := filter.Page(h.pager, at.address+linksPath, q)
	if err != nil {
		return err
	}
	links, next, err := h.linksOn(r, at, page)
	if err != nil {
		return err
	}
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Links: h.pager.Links(at.address+linksPath, q, next),
		Data: showLinks(h.tell.Shape, links)})
}

// linksOn returns a page of links. The store pages by cursors alone.
func (h *Handler) linksOn(r *http.Request, at Owner, page storage.DataPage) ([]storage.Link, string, error) {
	pass := 0
	if page.After == "" {
		pass = page.Number
	}
	for after := page.After; ; pass-- {
		links, next, err := h.store.ListLinks(r.Context(), at.Project.ID, at.End,
			storage.PageRequest{After: after, Limit: page.Limit})
		if err != nil || pass == 0 {
			return links, next, err
		}
		if next == "" {
			return nil, "", nil
		}
		after = next
	}
}

// addLinks serves POST …/relationships/links: links from the thing in the path to
// addresses.
func (h on) addLinks(w http.ResponseWriter, r *http.Request) error {
	at, entries, err := h.begin(w, r, "add links to")
	if err != nil {
		return err
	}
	links := make([]storage.Link, len(entries))
	for i, v := range entries {
		if links[i], err = h.readLink(v); err != nil {
			return err
		}
	}
	if err := at.in.Err(); err != nil {
		return err
	}
	if err := h.store.AddLinks(r.Context(), at.Change, at.Project.ID, at.End, links); err != nil {
		return h.tell.Located(r.Context(), err, nil)
	}
	d := jsonapi.Document{Links: shape.Self(at.address + linksPath), Data: showLinks(h.tell.Shape, links)}
	body, err := d.Encode(jsonapi.Query{})
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", at.address+linksPath)
	jsonapi.Write(w, r, http.StatusCreated, body)
	return nil
}

// removeLinks serves DELETE …/relationships/links. What is not there is removed
// already.
func (h on) removeLinks(w http.ResponseWriter, r *http.Request) error {
	at, entries, err := h.begin(w, r, "remove links from")
	if err != nil {
		return err
	}
	ids := make([]string, len(entries))
	for i, v := range entries {
		mustBeLink(v)
		ids[i] = v.Member("id").Text()
	}
	if err := at.in.Err(); err != nil {
		return err
	}
	links, err := h.store.FindLinks(r.Context(), at.Project.ID, at.End, ids)
	if err != nil {
		return err
	}
	for _, link := range links {
		if err := access.MayRemove(at.Standing, link.CreatedBy, "remove links of others"); err != nil {
			return err
		}
	}
	if err := h.store.RemoveLinks(r.Context(), at.Change, at.Project.ID, at.End, ids); err != nil {
		return h.tell.Located(r.Context(), err, nil)
	}
	return writeNothing(w)
}

func mustBeLink(v jsonapi.Value) {
	if kind := v.Member("type"); kind.Text() != typeLinks {
		kind.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The type must be links."))
	}
}

// readLink reads a link to be added.
func (h *Handler) readLink(v jsonapi.Value) (storage.Link, error) {
	mustBeLink(v)
	if id := v.Member("id"); id.Given() {
		return storage.Link{}, id.At(fault.New(fault.Forbidden, "client_generated_id",
			"The server makes the ids: leave it out."))
	}
	meta := v.Member("meta").Required()
	if !meta.Given() {
		return storage.Link{}, nil
	}
	href := meta.Member("link", "href").Required()
	link := storage.Link{ID: h.tell.Ambient.UUID(),
		Extension: shape.ReadExtension(meta.Member("extension"), linkType(h.tell.Shape))}
	var given bool
	if link.Href, given = href.OptionalText(); given && !isHref(link.Href) {
		href.Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid,
			"The address must be an http or https URL, or a path of this API such as /data/v1/…, of at most 2048 characters."))
	}
	link.MimeType, _ = meta.Member("mimeType").OptionalText()
	if len(link.MimeType) > maxMimeType || strings.ContainsFunc(link.MimeType, notPrintable) {
		meta.Member("mimeType").Refuse(fault.New(fault.Invalid, jsonapi.ReasonInvalid, "The MIME type is none."))
	}
	return link, nil
}

const (
	maxHref     = 2048 // characters
	maxMimeType = 255  // characters
)

func notPrintable(c rune) bool { return c <= ' ' || c > '~' }

// apiRoots are what a path of this API begins with.
func apiRoots() []string { return []string{"project", "data", "projects", "oss", "twins", "tandem"} }

// isHref reports whether a link may lead there: people will follow it, so it
// must not be a script, and a path must not turn into a host.
func isHref(href string) bool {
	if len(href) > maxHref || strings.ContainsFunc(href, notPrintable) || strings.ContainsAny(href, `\"<>`+"`{}|^") {
		return false
	}
	to, err := url.Parse(href)
	if err != nil || to.User != nil {
		return false
	}
	if to.IsAbs() {
		return (to.Scheme == "http" || to.Scheme == "https") && to.Hostname() != "" && to.Opaque == ""
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(to.Path, "/"), "/")
	return to.Host == "" && strings.HasPrefix(href, "/") && !slices.Contains(strings.Split(to.Path, "/"), "..") &&
		slices.Contains(apiRoots(), root)
}
