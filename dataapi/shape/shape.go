// Package shape is what the records of the data half look like outside, and what
// of them clients send: resources, addresses, refusals with names in them.
//
// It decides nothing. Start at Shape, and at Teller for what needs names.
package shape

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

// Types of resources.
const (
	TypeHubs     = "hubs"
	TypeProjects = "projects"
	TypeFolders  = "folders"
	TypeItems    = "items"
	TypeVersions = "versions"
	TypeObjects  = "objects"
)

// schemaPath leads, with a type, "-" and a version, to the schema of that
// Extension.
const schemaPath = "/schema/v1/versions/"

// Shape knows what things are called outside: addresses and URNs.
type Shape struct {
	Base string
	URN  urn.Space
}

// Shower turns records into resources for one answer.
type Shower struct {
	Shape
	Names map[string]string // of the people in the records, by id
	Now   time.Time
}

// HubURL is where a hub is read.
func (s Shape) HubURL(id string) string { return s.Base + "/project/v1/hubs/" + id }

// ProjectsURL is where the projects of a hub are listed.
func (s Shape) ProjectsURL(id string) string { return s.HubURL(id) + "/projects" }

// ProjectURL is where a project is read.
func (s Shape) ProjectURL(hub, id string) string {
	return s.ProjectsURL(hub) + "/" + id
}

// FolderURL is where a folder is read.
func (s Shape) FolderURL(project, uid string) string {
	return s.Base + "/data/v1/projects/" + project + "/folders/" + s.URN.Folder(uid)
}

// ItemURL is where an item is read.
func (s Shape) ItemURL(project, uid string) string {
	return s.Base + "/data/v1/projects/" + project + "/items/" + s.URN.Item(uid)
}

// VersionURL is where a version is read.
func (s Shape) VersionURL(project, item string, number int) string {
	return s.versionURL(project, s.URN.Version(item, number))
}

// versionURL escapes the query-like end of the URN, as versionPage does; colons may stay.
func (s Shape) versionURL(project, urn string) string {
	file, number, _ := strings.Cut(urn, "?version=")
	return s.Base + "/data/v1/projects/" + project + "/versions/" + file + "%3Fversion%3D" + number
}

func (s Shape) versionPage(project, urn string) string {
	file, number, _ := strings.Cut(urn, "?version=")
	return s.Base + pages + project + "/versions/" + file + "%3Fversion=" + number
}

// ObjectURL is where bytes are read.
func (s Shape) ObjectURL(bucket, key string) string {
	return s.Base + "/oss/v2/buckets/" + url.PathEscape(bucket) + "/objects/" + url.PathEscape(key)
}

// Extension is the typed part of a resource.
type Extension struct {
	Type    string        `json:"type"`
	Version string        `json:"version"`
	Schema  *jsonapi.Link `json:"schema"`
	Data    any           `json:"data"`
}

// Extension shows a record's extension, whose type is usual if it has none.
// computed are members of its data that follow from the record; what was stored
// under the same name wins.
func (s Shape) Extension(e storage.Extension, usual string, computed any) Extension {
	if e.Type == "" {
		e.Type, e.Version = usual, urn.ExtensionVersion
	}
	return Extension{
		Type: e.Type, Version: e.Version,
		Schema: jsonapi.To(s.Base + schemaPath + url.PathEscape(e.Type+"-"+e.Version)),
		Data:   merged(computed, e.Data),
	}
}

// merged lays the members of a stored JSON object over the computed ones, except
// those that are ours to tell.
func merged(computed any, stored string) any {
	if stored == "" || stored == "{}" {
		return computed
	}
	all := map[string]json.RawMessage{}
	if body, err := json.Marshal(computed); err != nil || json.Unmarshal(body, &all) != nil {
		return computed // can't be: it is a struct of ours
	}
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(stored), &given); err != nil {
		return computed // can't be: it was checked when it came
	}
	maps.DeleteFunc(given, func(name string, _ json.RawMessage) bool {
		return oursToTell(name) && name != storage.StateMember // which is kept there, by us alone
	})
	maps.Copy(all, given)
	return all
}

// NoData is the data of an extension that has none of its own.
type NoData struct{}

// writeStamp says when a thing was created and changed, and by whom.
func (s Shower) writeStamp(w *jsonapi.Writer, t storage.Stamp) {
	w.Time("createTime", t.CreatedAt)
	w.Text("createUserId", t.CreatedBy)
	w.Text("createUserName", s.Names[t.CreatedBy])
	w.Time("lastModifiedTime", t.ModifiedAt)
	w.Text("lastModifiedUserId", t.ModifiedBy)
	w.Text("lastModifiedUserName", s.Names[t.ModifiedBy])
}

// writeExtension is extension for what is written.
func (s Shape) writeExtension(w *jsonapi.Writer, e storage.Extension, usual string, computed jsonapi.Written) {
	if e.Type == "" {
		e.Type, e.Version = usual, urn.ExtensionVersion
	}
	w.Object("extension", func(w *jsonapi.Writer) {
		w.Text("type", e.Type)
		w.Text("version", e.Version)
		w.Link("schema", s.Base, schemaPath, url.PathEscape(e.Type), "-", url.PathEscape(e.Version))
		w.Any("data", merged(computed, e.Data))
	})
}

// Forms of relationships.

func related(href string) jsonapi.Relationship {
	return jsonapi.Relationship{Links: &jsonapi.Links{Related: jsonapi.To(href)}}
}

// ToOne leads to one resource, which it names.
func ToOne(kind, id, href string) jsonapi.Relationship {
	r := related(href)
	r.Data = &jsonapi.Identifier{Type: kind, ID: id}
	return r
}

func outside(kind, id, href string) *jsonapi.Relationship {
	r := &jsonapi.Relationship{Data: &jsonapi.Identifier{Type: kind, ID: id}}
	if href != "" {
		r.Meta = &jsonapi.RelationshipMeta{Link: jsonapi.To(href)}
	}
	return r
}

// The same forms, written.

func writeRelated(w *jsonapi.Writer, name string, address ...string) {
	w.Object(name, func(w *jsonapi.Writer) {
		w.Object("links", func(w *jsonapi.Writer) { w.Link("related", address...) })
	})
}

func writeToOne(w *jsonapi.Writer, name, kind, id string, address ...string) {
	w.Object(name, func(w *jsonapi.Writer) {
		writeIdentifier(w, kind, id)
		w.Object("links", func(w *jsonapi.Writer) { w.Link("related", address...) })
	})
}

func writeOutside(w *jsonapi.Writer, name, kind, id, address string) {
	w.Object(name, func(w *jsonapi.Writer) {
		writeIdentifier(w, kind, id)
		if address != "" {
			w.Object("meta", func(w *jsonapi.Writer) { w.Link("link", address) })
		}
	})
}

func writeIdentifier(w *jsonapi.Writer, kind, id string) {
	w.Object("data", func(w *jsonapi.Writer) {
		w.Text("type", kind)
		w.Text("id", id)
	})
}

// writeReferences lead to what refers to a thing, and to which it refers.
func writeReferences(w *jsonapi.Writer, address string) {
	w.Object("refs", func(w *jsonapi.Writer) {
		w.Object("links", func(w *jsonapi.Writer) {
			w.Link("self", address, "/relationships/refs")
			w.Link("related", address, "/refs")
		})
	})
	w.Object("links", func(w *jsonapi.Writer) {
		w.Object("links", func(w *jsonapi.Writer) { w.Link("self", address, "/relationships/links") })
	})
}

// Self are the links of what is read at the address.
func Self(href string) *jsonapi.Links { return &jsonapi.Links{Self: jsonapi.To(href)} }

// pages is where people look at what is in projects.
const pages = "/files/projects/"

// both are the links of what is read at the address, and looked at on the page. They are
// allocated at once, as lists are full of them.
func both(href, page string) *jsonapi.Links {
	l := &struct {
		all           jsonapi.Links
		self, webView jsonapi.Link
	}{self: jsonapi.Link{Href: href}, webView: jsonapi.Link{Href: page}}
	l.all.Self, l.all.WebView = &l.self, &l.webView
	return &l.all
}

// End reads the URN of a folder, an item or a version; false when it is none.
func (s Shape) End(urn string) (storage.End, bool) {
	if uid, ok := s.URN.FolderUID(urn); ok {
		return storage.End{FolderID: uid}, true
	}
	if ref, ok := s.URN.VersionRef(urn); ok {
		return storage.End{ItemID: ref.ItemID, Version: ref.Number}, true
	}
	uid, ok := s.URN.ItemUID(urn)
	return storage.End{ItemID: uid}, ok
}

// Identifier names the thing as the API does.
func (s Shape) Identifier(end storage.End) jsonapi.Identifier {
	switch {
	case end.FolderID != "":
		return jsonapi.Identifier{Type: TypeFolders, ID: s.URN.Folder(end.FolderID)}
	case end.Version > 0:
		return jsonapi.Identifier{Type: TypeVersions, ID: s.URN.Version(end.ItemID, end.Version)}
	}
	return jsonapi.Identifier{Type: TypeItems, ID: s.URN.Item(end.ItemID)}
}
