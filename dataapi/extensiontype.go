package dataapi

import (
	"net/http"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/pattern"
)

// extensionID is <kind>:<name space>:<Name>-<version>.
var extensionID = pattern.Of(`^[a-z]+:[A-Za-z0-9.-]+:[A-Za-z0-9]+-[0-9]+(\.[0-9]+){0,2}$`)

// schema is a JSON Schema.
type schema struct {
	Schema string `json:"$schema"`
	ID     string `json:"$id"`
	Title  string `json:"title"`
	Type   string `json:"type"`
}

// getSchema serves GET /schema/v1/versions/{schema_id}: the schema of an
// extension's data. Extensions are open: any object fits. It needs no token.
func (h *Handler) getSchema(w http.ResponseWriter, r *http.Request) error {
	id, err := httpio.PathID(r, "schema_id")
	if err != nil {
		return err
	}
	if !extensionID().MatchString(id) {
		return fault.New(fault.NotFound, "schema_not_found", "There is no such extension type.")
	}
	title := id[:strings.LastIndexByte(id, '-')]
	httpio.WriteJSON(w, http.StatusOK, "application/schema+json", schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", ID: h.tell.Base + r.URL.EscapedPath(),
		Title: title, Type: "object",
	})
	return nil
}
