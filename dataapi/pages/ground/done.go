package ground

import (
	"slices"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// NoneChosen is said where nothing was chosen.
const NoneChosen = "none-chosen"

// done is what pages say after a form, by the key in their address.
var done = map[string]texts.Text{
	"folder-made": texts.Say("filing.done.folder-made"), "renamed": texts.Say("filing.done.renamed"),
	"moved": texts.Say("filing.done.moved"), "copied": texts.Say("filing.done.copied"),
	"hidden": texts.Say("filing.done.hidden"), "restored": texts.Say("filing.done.restored"),
	"reserved": texts.Say("filing.done.reserved"), "released": texts.Say("filing.done.released"),
	"newest": texts.Say("filing.done.newest"), "state": texts.Say("filing.done.state"),
	"copies": texts.Say("filing.done.copies"), NoneChosen: texts.Say("filing.done.none-chosen"),
	"uploaded": texts.Say("filing.done.uploaded"), "skipped": texts.Say("filing.done.skipped"),
	"version": texts.Say("filing.done.version"),
	"shared":  texts.Say("filing.done.shared"), "unshared": texts.Say("filing.done.unshared"),
	"sees":   texts.Say("filing.done.sees"),
	"member": texts.Say("filing.done.member"), "member-gone": texts.Say("filing.done.member-gone"),
	"invited":      texts.Say("filing.done.invited"),
	"project-made": texts.Say("filing.done.project-made"), "group-made": texts.Say("filing.done.group-made"),
	"group-gone": texts.Say("filing.done.group-gone"), "app": texts.Say("filing.done.app"),
	"app-gone": texts.Say("filing.done.app-gone"), "archived": texts.Say("filing.done.archived"),
	"reopened": texts.Say("filing.done.reopened"), "naming": texts.Say("filing.done.naming"),
	"twin-added": texts.Say("twins.done.added"), "twin-described": texts.Say("twins.done.described"),
	"twin-there": texts.Say("twins.done.there"),
	"sent":       texts.Say("sending.done.sent"), "twin-removed": texts.Say("twins.done.removed"),
}

var stateWords = map[string]texts.Text{
	"wip": texts.Say("filing.state.wip"), "shared": texts.Say("filing.state.shared"),
	"published": texts.Say("filing.state.published"), "archived": texts.Say("filing.state.archived"),
}

// Suitabilities are those that are offered, and one that is there: the API takes A and B
// with a number, too.
func Suitabilities(is string) []string {
	offered := []string{"S0", "S1", "S2", "S3", "S4", "S5", "A", "B"}
	if is != "" && !slices.Contains(offered, is) {
		offered = append(offered, is)
	}
	return offered
}

// StageOf is how far a version has come, as pages say it.
func StageOf(v storage.Version) templates.Stage {
	is := storage.StateOf(v.Extension)
	word, _ := StateWord(is.State)
	return templates.Stage{State: word, Suitability: is.Suitability, Revision: is.Revision}
}

// StateWord is what people call a state of a version.
func StateWord(state string) (word texts.Text, known bool) {
	word, known = stateWords[state]
	return word, known
}
