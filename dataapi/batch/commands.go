package batch

import (
	"context"
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/filter"
	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
)

const (
	typeCommands = "commands"

	// maxCommanded is of how many resources a command may be.
	maxCommanded = 50

	statusComplete = "complete"
)

// commandForm is what the type of a command looks like. Clients name the name
// space that they were written for.
var commandForm = pattern.Of(`^commands:[A-Za-z0-9-]+\.core:(CheckPermission|ListItems|ListRefs)$`)

// command is one under way.
type command struct {
	storage.Place
	in    *jsonapi.Input
	kind  string // as the client spells it
	form  string // the version, likewise
	data  jsonapi.Value
	named []jsonapi.Value // the resources
	ends  []storage.End   // likewise
	found []storage.Found // likewise
}

// commandDone is what a command says when it is done.
type commandDone struct {
	data      any // of its extension
	resources any
	included  []jsonapi.Resource
}

// commandAct carries out a command.
type commandAct func(context.Context, command) (commandDone, error)

type commandKind struct {
	only string // the type of resources that it is for; empty: any
	act  commandAct
}

// command serves POST …/projects/{project_id}/commands: questions about many
// resources in one request.
func (h *Handler) command(w http.ResponseWriter, r *http.Request) error {
	q, err := filter.Plain().Parse(r)
	if err != nil {
		return err
	}
	place, err := h.find.ReachProject(r, false)
	if err != nil {
		return err
	}
	c := command{Place: place}
	if c.in, err = jsonapi.ReadInput(w, r, typeCommands); err != nil {
		return err
	}
	carryOut, err := h.readCommand(&c)
	if err != nil {
		return err
	}
	c.Place, c.found, err = h.store.FindEnds(r.Context(), place.Standing.Caller, place.Project.ID, c.ends)
	if err != nil {
		return err
	}
	done, err := carryOut(r.Context(), c)
	if err != nil {
		return err
	}
	return jsonapi.WriteDocument(w, r, q, jsonapi.Document{Data: h.showCommand(c, done), Included: done.included})
}

// readCommand reads what is to be done to what.
func (h *Handler) readCommand(c *command) (commandAct, error) {
	extension := c.in.Member("data", "attributes", "extension").Required()
	kind := extension.Member("type")
	c.kind, c.data = kind.Text(), extension.Member("data")
	c.form = extension.Member("version").Text()
	parts := commandForm().FindStringSubmatch(c.kind)
	if parts == nil && c.kind != "" {
		kind.Refuse(fault.New(fault.Invalid, "unknown_command",
			"The commands are commands:<name space>.core:CheckPermission, ListItems and ListRefs."))
	}
	if err := c.in.Err(); err != nil {
		return nil, err
	}
	known := h.commandKinds()[parts[1]]
	resources := c.in.Member("data", "relationships", "resources", "data").Required()
	c.named = resources.List()
	if resources.Given() && (len(c.named) == 0 || len(c.named) > maxCommanded) {
		resources.Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "Name 1 to %d resources.", maxCommanded))
	}
	for _, v := range c.named {
		end := h.ends.Read(v)
		if is := h.tell.Identifier(end).Type; known.only != "" && end != (storage.End{}) && is != known.only {
			v.Member("type").Refuse(fault.Newf(fault.Invalid, jsonapi.ReasonInvalid, "This command is for %s.", known.only))
		}
		c.ends = append(c.ends, end)
	}
	return known.act, c.in.Err()
}

type commandAttributes struct {
	Status    string           `json:"status"`
	Extension commandExtension `json:"extension"`
}

type commandExtension struct {
	Type    string `json:"type"`
	Version string `json:"version"`
	Data    any    `json:"data,omitempty"`
}

type commandRelationships struct {
	Resources struct {
		Data any `json:"data"`
	} `json:"resources"`
}

func (h *Handler) showCommand(c command, done commandDone) *jsonapi.Resource {
	var relationships commandRelationships
	relationships.Resources.Data = done.resources
	return &jsonapi.Resource{
		Type: typeCommands, ID: h.tell.Ambient.UUID(), Relationships: relationships,
		Attributes: commandAttributes{statusComplete, commandExtension{c.kind, c.form, done.data}},
	}
}

// readable refuses a command about anything that the caller can't read.
func (c command) readable() error {
	for i, f := range c.found {
		kind, _ := c.named[i].Member("type").OptionalText()
		if err := access.MayReadFound(c.Place, f, kind); err != nil {
			return c.named[i].Member("id").At(err)
		}
	}
	return nil
}
