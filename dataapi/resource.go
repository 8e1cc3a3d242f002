package dataapi

import (
	"encoding/json"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

// Types of resources.
const (
	typeHubs     = "hubs"
	typeProjects = "projects"
	typeFolders  = "folders"
	typeItems    = "items"
	typeVersions = "versions"
	typeObjects  = "objects"
)

// shape knows what things are called outside: addresses and URNs.
type shape struct {
	base string
	urn  urnSpace
}

// shower turns records into resources for one answer.
type shower struct {
	shape
	names map[string]string // of the people in the records, by id
	now   time.Time
}

func (s shape) hubURL(id string) string      { return s.base + "/project/v1/hubs/" + id }
func (s shape) projectsURL(id string) string { return s.hubURL(id) + "/projects" }
func (s shape) projectURL(hub, id string) string {
	return s.projectsURL(hub) + "/" + id
}

func (s shape) folderURL(project, uid string) string {
	return s.base + "/data/v1/projects/" + project + "/folders/" + s.urn.Folder(uid)
}

func (s shape) itemURL(project, uid string) string {
	return s.base + "/data/v1/projects/" + project + "/items/" + s.urn.Item(uid)
}

// versionURL escapes the query-like end of the URN; colons may stay.
func (s shape) versionURL(project, item string, number int) string {
	urn, _, _ := strings.Cut(s.urn.Version(item, number), "?")
	return s.base + "/data/v1/projects/" + project + "/versions/" + urn + "%3Fversion%3D" + strconv.Itoa(number)
}

func (s shape) objectURL(bucket, key string) string {
	return s.base + "/oss/v2/buckets/" + url.PathEscape(bucket) + "/objects/" + url.PathEscape(key)
}

// extension is the typed part of a resource.
type extension struct {
	Type    string        `json:"type"`
	Version string        `json:"version"`
	Schema  *jsonapi.Link `json:"schema"`
	Data    any           `json:"data"`
}

// extension shows a record's extension, whose type is usual if it has none.
// computed are members of its data that follow from the record; what was stored
// under the same name wins.
func (s shape) extension(e storage.Extension, usual string, computed any) extension {
	if e.Type == "" {
		e.Type, e.Version = usual, urn.ExtensionVersion
	}
	return extension{
		Type: e.Type, Version: e.Version,
		Schema: jsonapi.To(s.base + schemaPath + url.PathEscape(e.Type+"-"+e.Version)),
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
	maps.DeleteFunc(given, func(name string, _ json.RawMessage) bool { return oursToTell(name) })
	maps.Copy(all, given)
	return all
}

// noData is the data of an extension that has none of its own.
type noData struct{}

// writeStamp says when a thing was created and changed, and by whom.
func (s shower) writeStamp(w *jsonapi.Writer, t storage.Stamp) {
	w.Time("createTime", t.CreatedAt)
	w.Text("createUserId", t.CreatedBy)
	w.Text("createUserName", s.names[t.CreatedBy])
	w.Time("lastModifiedTime", t.ModifiedAt)
	w.Text("lastModifiedUserId", t.ModifiedBy)
	w.Text("lastModifiedUserName", s.names[t.ModifiedBy])
}

// writeExtension is extension for what is written.
func (s shape) writeExtension(w *jsonapi.Writer, e storage.Extension, usual string, computed jsonapi.Written) {
	if e.Type == "" {
		e.Type, e.Version = usual, urn.ExtensionVersion
	}
	w.Object("extension", func(w *jsonapi.Writer) {
		w.Text("type", e.Type)
		w.Text("version", e.Version)
		w.Link("schema", s.base, schemaPath, url.PathEscape(e.Type), "-", url.PathEscape(e.Version))
		w.Any("data", merged(computed, e.Data))
	})
}

// Forms of relationships.

func related(href string) jsonapi.Relationship {
	return jsonapi.Relationship{Links: &jsonapi.Links{Related: jsonapi.To(href)}}
}

func toOne(kind, id, href string) jsonapi.Relationship {
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

func self(href string) *jsonapi.Links { return &jsonapi.Links{Self: jsonapi.To(href)} }
