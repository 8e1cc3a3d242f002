package sqlstore_test

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/storage"
)

// searchBudget is the one of the endpoint.
const searchBudget = 250 * time.Millisecond

// searched are searches through all of the tree: those that find few, those that
// find nearly everything, and those that find nothing.
func (w *growth) searched() []asked {
	text := func(field storage.SearchField, op storage.Op, value string) storage.SearchQuery {
		return storage.SearchQuery{Texts: map[storage.SearchField][]storage.TextCondition{field: {{Op: op,
			Values: []string{value}}}}}
	}
	anyName := func() string { return fmt.Sprintf("Item %d.pdf", w.draw.IntN(w.tree.scattered)) }
	later := storage.SearchQuery{Times: map[storage.SearchField][]storage.TimeCondition{
		storage.SearchCreated: {{Op: storage.OpMore, Values: []time.Time{w.Now().Add(-time.Minute)}}},
	}}
	third := storage.SearchQuery{Numbers: map[storage.SearchField][]storage.NumberCondition{
		storage.SearchNumber: {{Op: storage.OpEqual, Values: []int64{3}}},
	}}
	return []asked{
		{"search a name", w.search(func() storage.SearchQuery {
			return text(storage.SearchName,
				storage.OpEqual, anyName())
		})},
		{"search what a name begins with", w.search(func() storage.SearchQuery {
			return text(storage.SearchName, storage.OpStarts, fmt.Sprintf("Item %d", w.draw.IntN(w.tree.scattered)))
		})},
		{"search a part that all names have", w.search(func() storage.SearchQuery {
			return text(storage.SearchName,
				storage.OpContains, ".pdf")
		})},
		{"search a type that all have", w.search(func() storage.SearchQuery {
			return text(storage.SearchFileType,
				storage.OpEqual, "pdf")
		})},
		{"search a type that none has", w.search(func() storage.SearchQuery {
			return text(storage.SearchFileType,
				storage.OpEqual, "dwg")
		})},
		{"search what was made lately", w.search(func() storage.SearchQuery { return later })},
		{"search the third versions", w.search(func() storage.SearchQuery { return third })},
		{"search a part that few names have", w.search(func() storage.SearchQuery {
			return text(storage.SearchName, storage.OpContains, fmt.Sprint(w.draw.IntN(w.tree.scattered), ".p"))
		})},
	}
}

func (w *growth) search(query func() storage.SearchQuery) func() error {
	return func() error {
		q := query()
		q.Budget = searchBudget
		_, _, err := w.Data.Search(w.Ctx(), w.Project.ID, w.Project.RootFolderID, q, storage.DataPage{})
		return err
	}
}
