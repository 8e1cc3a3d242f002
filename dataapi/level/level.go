// Package level spells the levels of rights for people and programs.
//
// What a level allows is for those who ask for it to decide. Start at Name.
package level

import (
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// names are in the order of the levels.
func names() []string {
	return []string{"none", "view", "download", "publish", "collaborate", "edit", "control"}
}

// Name returns the word for a level.
func Name(level storage.Level) string { return names()[level] }

// Parse returns the level with the name: view, download, publish, collaborate,
// edit or control. Invalid, with the field.
func Parse(name, field string) (storage.Level, error) {
	i := slices.Index(names(), name)
	if i < int(storage.LevelView) {
		detail := "The level must be one of " + strings.Join(names()[1:], ", ") + "."
		return storage.LevelNone, fault.New(fault.Invalid, "invalid_field", detail).At(field)
	}
	return storage.Level(i), nil
}
