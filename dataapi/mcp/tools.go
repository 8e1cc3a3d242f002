package mcp

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const toolSearch = "search"

// add adds a tool, which reads and calls nobody else.
func add[In, Out any](server *mcp.Server, name, title, description string,
	do func(context.Context, In) (Out, error)) {
	no := false
	mcp.AddTool(server, &mcp.Tool{Name: name, Title: title, Description: description,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}},
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			out, err := do(ctx, in)
			return nil, out, err
		})
}

func addTools(server *mcp.Server, a asker) {
	add(server, "list_hubs", "List hubs", "The hubs that you may see.",
		func(ctx context.Context, _ struct{}) (things, error) { return a.page(ctx, "/project/v1/hubs", "") })
	add(server, "list_projects", "List projects", "The projects of a hub.",
		func(ctx context.Context, in ofHub) (things, error) {
			return a.page(ctx, path("/project/v1/hubs/", in.Hub, "/projects"), in.Next)
		})
	add(server, "list_folder", "List a folder", "The folders and items in a folder, or the top folders of a project.",
		a.listFolder)
	add(server, toolSearch, "Search", "The versions of files below a folder whose names contain a text.", a.search)
	add(server, "read_metadata", "Read metadata", "What is known of a file: its item, and its newest version.",
		a.readMetadata)
	add(server, "read_text_file", "Read a text file", "What a version of a text file contains, 64 KiB at a time.",
		a.readText)
	add(server, "recent_changes", "Recent changes", "What has happened last in a project, oldest first. "+
		"Where the answer says more, later things have happened: ask again with its cursor.", a.changes)
}

// page asks for a page of things, or for what an earlier answer said is the next.
func (a asker) page(ctx context.Context, first, next string) (things, error) {
	address := first
	if next != "" {
		if !strings.HasPrefix(next, first+"?") {
			return things{}, errors.New("next is none of an earlier answer to this")
		}
		address = next
	}
	all, more, err := a.list(ctx, address)
	answer := things{Items: []thing{}, Next: more}
	for _, r := range all {
		answer.Items = append(answer.Items, newThing(r))
	}
	return answer, err
}

func (a asker) listFolder(ctx context.Context, in ofFolder) (things, error) {
	if in.Folder == "" {
		return a.page(ctx, path("/project/v1/hubs/", in.Hub, "/projects/", in.Project, "/topFolders"), in.Next)
	}
	return a.page(ctx, path("/data/v1/projects/", in.Project, "/folders/", in.Folder, "/contents"), in.Next)
}

// quoted is a text as the value of a filter, where a comma stands between several.
var quoted = strings.NewReplacer(`\`, `\\`, `,`, `\,`)

func (a asker) search(ctx context.Context, in ofSearch) (things, error) {
	where := path("/data/v1/projects/", in.Project, "/folders/", in.Folder, "/search")
	if in.Next == "" {
		in.Next = where + "?" + url.Values{"filter[name]-icontains": {quoted.Replace(in.Text)}}.Encode()
	}
	return a.page(ctx, where, in.Next)
}

func (a asker) readMetadata(ctx context.Context, in ofItem) (things, error) {
	where := path("/data/v1/projects/", in.Project, "/items/", in.Item)
	item, err := a.one(ctx, where)
	if err != nil {
		return things{}, err
	}
	tip, err := a.one(ctx, where+"/tip")
	return things{Items: []thing{newThing(item), newThing(tip)}}, err
}
