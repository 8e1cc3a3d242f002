package commands

import "github.com/portico-id/portico/storage"

// everyName is storage.EveryPage for a list by name.
func everyName[T any](list func(storage.PageRequest) (storage.Listing[T], error)) ([]T, error) {
	return storage.EveryPage(func(page storage.PageRequest) ([]T, string, error) {
		listing, err := list(page)
		return listing.Rows, listing.Next, err
	})
}

// printList prints records as one object with a list, or as a table.
func printList[R, J any](e *Env, asJSON bool, name, header string, records []R, toJSON func(R) J,
	line func(R) []string) error {
	list, lines := make([]J, len(records)), make([][]string, len(records))
	for i, r := range records {
		list[i], lines[i] = toJSON(r), line(r)
	}
	if asJSON {
		return e.printJSON(map[string]any{name: list})
	}
	e.printTable(header, lines)
	return nil
}

// printDone says what has become of what has the id.
func (e *Env) printDone(asJSON bool, id, what string) error {
	if asJSON {
		return e.printJSON(map[string]string{"id": id})
	}
	e.printf("%s %s\n", id, what)
	return nil
}
