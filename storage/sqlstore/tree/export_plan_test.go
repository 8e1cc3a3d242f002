package tree

import (
	"context"
	"strings"

	"github.com/lib/pq"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// Queries returns the queries that browsing comes down to, by name.
func Queries() map[string]string {
	contents := hotListings()
	return map[string]string{
		"first folders": contents[0], "first items": contents[1],
		"marks of first folders": contents[2], "marks of first items": contents[3],
		"folders after a cursor": contents[4], "items after a cursor": contents[5],
		"marks of folders after a cursor": contents[6], "marks of items after a cursor": contents[7],
		"folder": selectFolderPlace, "item": selectItemPlace, "version": selectVersionPlace,
		"paths of grants": selectGranted, "grants": selectGrants, "folders by their ids": foldersByID,
		"ancestors": selectAncestors,
	}
}

// PostgresPlan says how PostgreSQL goes about a query, a line for each step.
func (s *Tree) PostgresPlan(ctx context.Context, query string, values engine.Args) (string, error) {
	var lines []string
	err := s.db.List(ctx, &lines, "EXPLAIN "+query, values)
	return strings.Join(lines, "\n"), err
}

// PlanValues are what the queries are about. Pages have their cursor and limit
// besides.
func PlanValues(query string, projectID, folderID, itemID, userID string) engine.Args {
	values := hubs.CallerArgs(storage.Caller{UserID: userID})
	values["project_uid"], values["folder_uid"], values["item_uid"], values["number"] = projectID, folderID, itemID, 1
	values["v2"] = 201
	values["ids"] = pq.Array([]int64{1, 2, 3})
	if strings.HasSuffix(query, "after a cursor") {
		values["v2"], values["v3"], values["v4"] = "item 15", 1, 201
	}
	return values
}
