// Package jsonapi is the format of the data endpoints: JSON:API 1.0 documents,
// their media types, query parameters, page links and errors.
//
// It knows documents, not folders: what the resources are, and who may see
// them, is package dataapi's. Start at Document for what goes out, at Parse for
// what the query says, at Read for what comes in, and at WriteError for what
// goes wrong.
package jsonapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// Version is the version of the format, named in every document.
const Version = "1.0"

// Media types. Which one an answer has is the client's choice (decision J1).
const (
	MediaType = "application/vnd.api+json"
	plainJSON = "application/json"
)

// Document is the whole of an answer with data: a *Resource, or a []Resource.
type Document struct {
	Links    *Links
	Data     any
	Included []Resource // each resource once, and none that is in Data
	Meta     any
}

// Resource is one thing. Attributes and Relationships are structs whose JSON
// names are the members, or Written; either may be nil.
type Resource struct {
	Type          string `json:"type"`
	ID            string `json:"id"`
	Attributes    any    `json:"attributes,omitempty"`
	Relationships any    `json:"relationships,omitempty"`
	Links         *Links `json:"links,omitempty"`
}

// Identifier names a resource.
type Identifier struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// Link is where something is found.
type Link struct {
	Href string `json:"href"`
}

// To returns a link to the address.
func To(href string) *Link { return &Link{href} }

// Links are the links of a document, a resource or a relationship. Those that
// lead nowhere are nil.
type Links struct {
	Self    *Link `json:"self,omitempty"`
	Related *Link `json:"related,omitempty"`
	First   *Link `json:"first,omitempty"`
	Prev    *Link `json:"prev,omitempty"`
	Next    *Link `json:"next,omitempty"`
	WebView *Link `json:"webView,omitempty"` // where people look at a resource
}

// Relationship leads from a resource to another, or to several.
type Relationship struct {
	Data  *Identifier       `json:"data,omitempty"`
	Links *Links            `json:"links,omitempty"`
	Meta  *RelationshipMeta `json:"meta,omitempty"`
}

// RelationshipMeta has the address of what is outside these endpoints.
type RelationshipMeta struct {
	Link *Link `json:"link"`
}

// envelope is a Document, or a failure, on the wire.
type envelope struct {
	JSONAPI  version       `json:"jsonapi"`
	Links    *Links        `json:"links,omitempty"`
	Data     any           `json:"data,omitempty"`
	Included *[]Resource   `json:"included,omitempty"`
	Errors   []errorObject `json:"errors,omitempty"`
	Meta     any           `json:"meta,omitempty"`
}

type version struct {
	Version string `json:"version"`
}

// Encode returns the bytes of the document with the fields that the query asks
// for. An empty but not nil Included stays, so that clients find a list.
func (d Document) Encode(q Query) ([]byte, error) { return d.encode(q, nil) }

// encode is Encode that writes where there is room.
func (d Document) encode(q Query, room []byte) ([]byte, error) {
	e := envelope{JSONAPI: version{Version}, Links: d.Links, Data: d.Data, Meta: d.Meta}
	if d.Included != nil {
		e.Included = &d.Included
	}
	if len(q.Fields) > 0 {
		if err := e.narrow(q.Fields); err != nil {
			return nil, err
		}
	}
	w := Writer{body: room[:0]}
	w.document(e)
	return w.body, w.err
}

// Marshal is json.Marshal that leaves what HTML has a use for, such as the "&"
// of links, as it is.
func Marshal(v any) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(body.Bytes(), "\n"), nil
}

// Write sends a body made by Encode, in the media type that the client wants.
func Write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	_ = write(w, r, status, body) // who has left needs no answer
}

func write(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	header := w.Header()
	header.Add("Vary", "Accept")
	header.Set("Content-Type", mediaTypeFor(r))
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

// WriteDocument sends an answer that clients ask for anew each time.
func WriteDocument(w http.ResponseWriter, r *http.Request, q Query, d Document) error {
	body, err := d.Encode(q)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	Write(w, r, http.StatusOK, body)
	return nil
}
