package dataapi_test

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/portico-id/portico/storage"
)

// owned is a template with an operation for each of the owners of references
// and links.
type owned struct {
	name, template string
}

func owners() []owned {
	return []owned{{"folder", folderPath}, {"item", itemPath}, {"version", versionPath}}
}

// relationOperations are the reads of references and links.
func relationOperations() []operation {
	var all []operation
	for _, o := range owners() {
		all = append(all,
			operation{"related to " + o.name, o.template + "/refs", ""},
			operation{"refs of " + o.name, o.template + "/relationships/refs", ""},
			operation{"links of " + o.name, o.template + "/relationships/links", ""})
	}
	const version = "/projects/{project_id}/versions/{version_id}/relationships/links" // as existing clients ask (decision J3)
	return append(all, operation{"links of version again", version, ""})
}

// relationWritings are the changes of references and links.
func relationWritings() []writing {
	none := func(*scene, thing) string { return "" }
	var all []writing
	for _, o := range owners() {
		refs, links := o.template+"/relationships/refs", o.template+"/relationships/links"
		const collaborate = storage.LevelCollaborate
		all = append(all,
			writing{"add refs to " + o.name, http.MethodPost, refs, dataCreate, 204, collaborate, none,
				func(s *scene, on thing) object { return refTo("folders", folderURN(s.innermost)) }},
			writing{"remove refs from " + o.name, http.MethodDelete, refs, dataWrite, 204, collaborate, none,
				func(s *scene, on thing) object { return refTo("folders", folderURN(s.innermost)) }},
			writing{"add links to " + o.name, http.MethodPost, links, dataCreate, 201, collaborate, none,
				func(*scene, thing) object { return linkTo("https://example.test/x") }},
			writing{"remove links from " + o.name, http.MethodDelete, links, dataWrite, 204, collaborate, none,
				func(s *scene, _ thing) object {
					return data("links", object{"id": s.Ambient.UUID()})
				}})
	}
	return all
}

const xref, printed = "xrefs:portico.core:Xref", "derived:portico.core:Print"

// refTo is the body that refers to a thing.
func refTo(kind, id string) object { return refOf(kind, id, xref) }

func refOf(kind, id, extension string) object {
	return data(kind, object{"id": id, "meta": object{"extension": object{
		"type": extension, "version": "1.0", "data": object{"nestedType": "overlay"},
	}}})
}

func linkTo(href string) object {
	return data("links", object{"meta": object{"link": object{"href": href}, "mimeType": "text/html"}})
}

// together puts the data of several bodies into one.
func together(bodies ...object) object {
	var entries []any
	for _, body := range bodies {
		entries = append(entries, body["data"])
	}
	return object{"jsonapi": object{"version": "1.0"}, "data": entries}
}

func (f refusing) AddRefs(context.Context, storage.Change, string, storage.End, []storage.Ref) error {
	return f.err
}

func (f refusing) RemoveRefs(context.Context, storage.Change, string, []storage.Ref) error {
	return f.err
}

func (f refusing) AddLinks(context.Context, storage.Change, string, storage.End, []storage.Link) error {
	return f.err
}

func (f refusing) RemoveLinks(context.Context, storage.Change, string, storage.End, []string) error {
	return f.err
}

func (f failing) FindEnds(context.Context, storage.Caller, string,
	[]storage.End) (storage.Place, []storage.Found, error) {
	return storage.Place{}, nil, f.err
}

func (f failing) ListRefs(context.Context, string, storage.End, storage.RefQuery,
	storage.PageRequest) ([]storage.Ref, string, error) {
	return nil, "", f.err
}

func (f failing) ListLinks(context.Context, string, storage.End, storage.PageRequest) ([]storage.Link, string, error) {
	return nil, "", f.err
}

func (f failing) FindLinks(context.Context, string, storage.End, []string) ([]storage.Link, error) {
	return nil, f.err
}

func decode(body []byte, v any) error { return json.Unmarshal(body, v) }

func (f failing) Search(context.Context, string, string, storage.SearchQuery,
	storage.DataPage) ([]storage.ItemWithTip, string, error) {
	return nil, "", f.err
}

func (f stuckSearch) Search(context.Context, string, string, storage.SearchQuery,
	storage.DataPage) ([]storage.ItemWithTip, string, error) {
	return nil, "", f.err
}
