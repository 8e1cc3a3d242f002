package mcp

import "encoding/json"

// What tools are told.
type (
	ofHub struct {
		Hub  string `json:"hub_id" jsonschema:"the id of a hub, from list_hubs"`
		Next string `json:"next,omitempty" jsonschema:"what an earlier answer said as next, for more of it"`
	}
	ofFolder struct {
		Hub     string `json:"hub_id,omitempty" jsonschema:"the id of the hub; only where folder_id is left out"`
		Project string `json:"project_id" jsonschema:"the id of a project, from list_projects"`
		Folder  string `json:"folder_id,omitempty" jsonschema:"the id of a folder; without it, the top folders"`
		Next    string `json:"next,omitempty" jsonschema:"what an earlier answer said as next, for more of it"`
	}
	ofSearch struct {
		Project string `json:"project_id" jsonschema:"the id of a project"`
		Folder  string `json:"folder_id" jsonschema:"the id of the folder to search in, and everywhere below it"`
		Text    string `json:"text" jsonschema:"a part of the name of the file"`
		Next    string `json:"next,omitempty" jsonschema:"what an earlier answer said as next, for more of it"`
	}
	ofItem struct {
		Project string `json:"project_id" jsonschema:"the id of a project"`
		Item    string `json:"item_id" jsonschema:"the id of an item, from list_folder"`
	}
	ofVersion struct {
		Project string `json:"project_id" jsonschema:"the id of a project"`
		Version string `json:"version_id" jsonschema:"the id of a version, from read_metadata or search"`
		Offset  int64  `json:"offset,omitempty" jsonschema:"at which byte to begin: next_offset of an earlier answer"`
	}
	ofChanges struct {
		Project string `json:"project_id" jsonschema:"the id of a project"`
		Cursor  string `json:"cursor,omitempty" jsonschema:"the cursor of an earlier answer: what has changed since then"`
	}
)

// things are what tools answer.
type things struct {
	Items []thing `json:"items"`
	Next  string  `json:"next,omitempty"`
}

// thing is a hub, project, folder, item, version or change.
type thing struct {
	Type       string         `json:"type"`
	ID         string         `json:"id"`
	Attributes map[string]any `json:"attributes"`
	Tip        string         `json:"tip_version_id,omitempty"`
	Item       string         `json:"item_id,omitempty"`
}

func newThing(r resource) thing {
	delete(r.Attributes, "extension")
	return thing{Type: r.Type, ID: r.ID, Attributes: r.Attributes, Tip: r.related("tip"), Item: r.related("item")}
}

// related is the id of what stands to the resource so; empty for none.
func (r resource) related(name string) string {
	var one struct{ ID string }
	_ = json.Unmarshal(r.Relationships[name].Data, &one)
	return one.ID
}
