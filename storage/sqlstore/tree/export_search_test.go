package tree

import (
	"context"
	"strings"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
	"github.com/portico-id/portico/storage/sqlstore/hubs"
)

// SearchPlans says how the database would go about the queries of a search in a
// folder: one line for each step of its plan, by the name of the query. Name is
// an exact one, which an index finds.
func (s *Tree) SearchPlans(ctx context.Context, projectID, folderID, name string) (map[string]string, error) {
	run, err := s.db.BeginReading(ctx)
	if err != nil {
		return nil, err
	}
	defer run.Done()
	var plans map[string]string
	explain := func(what, text string, f *engine.Filter) {
		if err == nil {
			plans[what], err = s.explain(run, text, f.Args)
		}
	}
	plans = map[string]string{}
	q := &search{reading: run, limit: storage.MaxPage, query: storage.SearchQuery{
		Texts: map[storage.SearchField][]storage.TextCondition{storage.SearchName: {{Op: storage.OpEqual,
			Values: []string{name}}}},
	}}
	q.project, q.folder, err = s.searched(run, projectID, folderID)
	text, f := q.stepQuery(position{}, pathEnd(q.folder.Path), firstStep)
	explain("walk", text, f)
	text, f = q.stepQuery(position{path: q.folder.Path, inside: true, key: "item", id: 1}, q.folder.Path, firstStep)
	explain("walk on in a folder", text, f)
	f = engine.NewFilter()
	explain("count", "SELECT count(*) FROM ("+q.indexed()[0](f)+" LIMIT "+f.Bind(fewTips+1)+") c", f)
	text, f = q.lookUpQuery(q.indexed()[0])
	explain("look up", text, f)
	return plans, err
}

func (s *Tree) searched(run *engine.Reading, projectID, folderID string) (hubs.ProjectRow, spot, error) {
	var projects []hubs.ProjectRow
	if err := run.List(&projects, hubs.SelectProject, engine.Args{"id": projectID}); err != nil {
		return hubs.ProjectRow{}, spot{}, err
	}
	var folders []spot
	err := run.List(&folders, selectSearched, engine.Args{"folder_uid": folderID, "project_id": projects[0].ID})
	return projects[0], folders[0], err
}

// explain asks PostgreSQL if it is that, else SQLite.
func (s *Tree) explain(run *engine.Reading, text string, arg engine.Args) (string, error) {
	var lines []string
	if err := run.List(&lines, "EXPLAIN "+text, arg); err == nil {
		return strings.Join(lines, "\n"), nil
	}
	lines = nil
	var steps []struct {
		ID, Parent int
		NotUsed    int `db:"notused"`
		Detail     string
	}
	err := run.List(&steps, "EXPLAIN QUERY PLAN "+text, arg)
	for _, step := range steps {
		lines = append(lines, step.Detail)
	}
	return strings.Join(lines, "\n"), err
}

// SearchPlan says which way a search would take.
func (s *Tree) SearchPlan(ctx context.Context, projectID, folderID string, query storage.SearchQuery) (string, error) {
	run, err := s.db.BeginReading(ctx)
	if err != nil {
		return "", err
	}
	defer run.Done()
	q := &search{reading: run, query: query, soon: ctx}
	if q.project, q.folder, err = s.searched(run, projectID, folderID); err != nil {
		return "", err
	}
	few, err := q.fewest()
	if few != nil {
		return "look up", err
	}
	return "walk", err
}
