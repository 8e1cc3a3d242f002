package sqlstore

import (
	"context"
	"strings"
	"time"

	"github.com/portico-id/portico/migrations"
	"github.com/portico-id/portico/storage"
)

// SearchPlans says how the database would go about the queries of a search in a
// folder: one line for each step of its plan, by the name of the query. Name is
// an exact one, which an index finds.
func (s *Store) SearchPlans(ctx context.Context, projectID, folderID, name string) (map[string]string, error) {
	run, done, err := s.searchRunner(ctx, ctx, time.Minute)
	if err != nil {
		return nil, err
	}
	defer done()
	var plans map[string]string
	explain := func(what, text string, f *filter) {
		if err == nil {
			plans[what], err = s.explain(run, text, f.args)
		}
	}
	plans = map[string]string{}
	q := &search{run: run, limit: storage.MaxPage, query: storage.SearchQuery{
		Texts: map[storage.SearchField][]storage.TextCondition{storage.SearchName: {{Op: storage.OpEqual, Values: []string{name}}}},
	}}
	q.project, q.folder, err = s.searched(run, projectID, folderID)
	text, f := q.stepQuery(position{}, pathEnd(q.folder.Path), firstStep)
	explain("walk", text, f)
	text, f = q.stepQuery(position{path: q.folder.Path, inside: true, key: "item", id: 1}, q.folder.Path, firstStep)
	explain("walk on in a folder", text, f)
	f = newFilter()
	explain("count", "SELECT count(*) FROM ("+q.indexed()[0](f)+" LIMIT "+f.bind(fewTips+1)+") c", f)
	text, f = q.lookUpQuery(q.indexed()[0])
	explain("look up", text, f)
	return plans, err
}

func (s *Store) searched(run searchRun, projectID, folderID string) (projectRow, spot, error) {
	var projects []projectRow
	if err := run.list(&projects, selectProject, args{"id": projectID}); err != nil {
		return projectRow{}, spot{}, err
	}
	var folders []spot
	err := run.list(&folders, selectSearched, args{"folder_uid": folderID, "project_id": projects[0].ID})
	return projects[0], folders[0], err
}

func (s *Store) explain(run searchRun, text string, arg args) (string, error) {
	if s.reader.dialect.engine == migrations.Postgres {
		var lines []string
		err := run.list(&lines, "EXPLAIN "+text, arg)
		return strings.Join(lines, "\n"), err
	}
	var steps []struct {
		ID, Parent, NotUsed int
		Detail              string
	}
	err := run.list(&steps, "EXPLAIN QUERY PLAN "+text, arg)
	var lines []string
	for _, step := range steps {
		lines = append(lines, step.Detail)
	}
	return strings.Join(lines, "\n"), err
}

// SearchPlan says which way a search would take.
func (s *Store) SearchPlan(ctx context.Context, projectID, folderID string, query storage.SearchQuery) (string, error) {
	run, done, err := s.searchRunner(ctx, ctx, time.Minute)
	if err != nil {
		return "", err
	}
	defer done()
	q := &search{run: run, query: query, soon: ctx}
	if q.project, q.folder, err = s.searched(run, projectID, folderID); err != nil {
		return "", err
	}
	few, err := q.fewest()
	if few != nil {
		return "look up", err
	}
	return "walk", err
}
