package sqlstore

import (
	"context"
	"strings"

	"github.com/portico-id/portico/migrations"
	"github.com/portico-id/portico/storage"
)

// SearchPlans says how the database would go about the queries of a search in a
// folder: one line for each step of its plan, by the name of the query. Name is
// an exact one, which an index finds.
func (s *Store) SearchPlans(ctx context.Context, projectID, folderID, name string) (map[string]string, error) {
	t, done, err := s.beginSearch(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	q := &search{tx: t, ctx: ctx, limit: storage.MaxPage, query: storage.SearchQuery{
		Texts: map[storage.SearchField][]storage.TextCondition{storage.SearchName: {{Op: storage.OpEqual, Values: []string{name}}}},
	}}
	err = q.searched(projectID, folderID)
	plans := map[string]string{}
	explain := func(what, text string, f *filter) {
		if err == nil {
			plans[what], err = q.explain(text, f.args)
		}
	}
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

func (q *search) searched(projectID, folderID string) error {
	var projects []projectRow
	if err := q.list(&projects, selectProject, args{"id": projectID}); err != nil {
		return err
	}
	var folders []spot
	err := q.list(&folders, selectSearched, args{"folder_uid": folderID, "project_id": projects[0].ID})
	q.project, q.folder = projects[0], folders[0]
	return err
}

func (q *search) explain(text string, arg args) (string, error) {
	if q.tx.handle.dialect.engine == migrations.Postgres {
		var lines []string
		err := q.list(&lines, "EXPLAIN "+text, arg)
		return strings.Join(lines, "\n"), err
	}
	var steps []struct {
		ID, Parent, NotUsed int
		Detail              string
	}
	err := q.list(&steps, "EXPLAIN QUERY PLAN "+text, arg)
	var lines []string
	for _, step := range steps {
		lines = append(lines, step.Detail)
	}
	return strings.Join(lines, "\n"), err
}

// SearchPlan says which way a search would take.
func (s *Store) SearchPlan(ctx context.Context, projectID, folderID string, query storage.SearchQuery) (string, error) {
	t, done, err := s.beginSearch(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	q := &search{tx: t, ctx: ctx, query: query}
	if err = q.searched(projectID, folderID); err != nil {
		return "", err
	}
	few, err := q.fewest()
	if few != nil {
		return "look up", err
	}
	return "walk", err
}
