package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/storage"
)

// hand is a client that changes things of its own, and remembers what was
// acknowledged: how they are, and which events each must have.
type hand struct {
	*yard
	number   int
	made     int
	repeated int     // changes that lost an answer
	folders  []*kept // the first is where it began
	items    []*kept
}

// kept is a folder or item as its hand knows it.
type kept struct {
	uid, name string
	in        *kept // nil for the first folder
	hidden    bool
	tip       int // of an item
	events    []string
}

func newHand(y *yard, number int) *hand {
	h := &hand{yard: y, number: number}
	first := &kept{name: h.name(), events: []string{storage.EventFolderCreated}}
	first.uid = h.create("folders", "", object{
		"type": "folders", "attributes": object{"name": first.name},
		"relationships": object{"parent": leads("folders", folderURN(y.files))},
	})
	h.folders = []*kept{first}
	return h
}

func leads(kind, id string) object { return object{"data": object{"type": kind, "id": id}} }

// name returns one that nothing else has.
func (h *hand) name() string { return fmt.Sprintf("hand %d, %d", h.number, h.made) }

func (h *hand) draw(n int) int {
	b := ambient.System().Bytes(2)
	return (int(b[0])<<8 | int(b[1])) % n
}

func (h *hand) any(things []*kept) *kept { return things[h.draw(len(things))] }

// visible returns a folder that something can be put into.
func (h *hand) visible() *kept {
	for {
		if f := h.any(h.folders); f.visible() {
			return f
		}
	}
}

func (k *kept) visible() bool {
	for ; k != nil; k = k.in {
		if k.hidden {
			return false
		}
	}
	return true
}

func (k *kept) within(top *kept) bool {
	for ; k != nil; k = k.in {
		if k == top {
			return true
		}
	}
	return false
}

func (k *kept) depth() int {
	if k == nil {
		return 1 // Project Files
	}
	return k.in.depth() + 1
}

// height is how many levels lie below a thing.
func (h *hand) height(top *kept) int {
	most := 0
	for _, f := range h.folders {
		if f.within(top) {
			most = max(most, f.depth()-top.depth())
		}
	}
	return most
}

// create makes a thing of the kind and returns its uid.
func (h *hand) create(kind, query string, data object) string {
	got, lost := h.insist(http.MethodPost, h.all(kind)+query, http.StatusCreated, object{"data": data})
	h.count(lost)
	var made struct{ Data struct{ ID string } }
	if err := json.Unmarshal([]byte(got.Body), &made); err != nil || h.Failed() {
		return ""
	}
	id, _, _ := strings.Cut(made.Data.ID, "?")
	return id[strings.LastIndexAny(id, ".:")+1:]
}

func (h *hand) count(lost bool) {
	h.made++
	if lost {
		h.repeated++
	}
}

// change makes one change at random.
func (h *hand) change() {
	what := h.draw(10)
	switch {
	case what < 3:
		h.addFolder()
	case what < 5, len(h.items) == 0:
		h.addItem()
	case what < 7:
		h.addVersion(h.any(h.items))
	default:
		h.patch()
	}
}

func (h *hand) addFolder() {
	in := h.visible()
	if in.depth() == storage.MaxDepth {
		in = h.folders[0]
	}
	made := &kept{name: h.name(), in: in, events: []string{storage.EventFolderCreated}}
	made.uid = h.create("folders", "", object{
		"type": "folders", "attributes": object{"name": made.name},
		"relationships": object{"parent": leads("folders", folderURN(in.uid))},
	})
	h.folders = append(h.folders, made)
}

func (h *hand) addItem() {
	made := &kept{name: h.name(), in: h.visible(), tip: 1, events: []string{storage.EventItemCreated}}
	made.uid = h.create("items", "?copyFrom="+url.QueryEscape(versionURN(h.seed, 1)), object{
		"type": "items", "attributes": object{"displayName": made.name},
		"relationships": object{"parent": leads("folders", folderURN(made.in.uid))},
	})
	h.items = append(h.items, made)
}

// addVersion copies the first version, which brings a hidden item back.
func (h *hand) addVersion(item *kept) {
	if item.uid == "" {
		return
	}
	h.create("versions", "?copyFrom="+url.QueryEscape(versionURN(item.uid, 1)), object{"type": "versions"})
	item.tip++
	if item.hidden {
		item.hidden = false
		item.events = append(item.events, storage.EventItemRestored)
	}
	item.events = append(item.events, storage.EventVersionAdded)
}

// patch renames, hides or restores, and moves a thing, or does some of that at
// once.
func (h *hand) patch() {
	things, noun, name := h.folders[1:], "folder", "name"
	if len(things) == 0 || h.draw(2) == 0 {
		things, noun, name = h.items, "item", "displayName"
	}
	thing := h.any(things)
	attributes, relationships := object{}, object{}
	wanted := *thing
	if h.draw(2) == 0 {
		wanted.name = h.name()
		attributes[name] = wanted.name
		wanted.events = append(wanted.events, noun+".renamed")
	}
	if to := h.visible(); h.draw(2) == 0 && to != thing.in && !to.within(thing) &&
		to.depth()+1+h.height(thing) <= storage.MaxDepth {
		wanted.in = to
		relationships["parent"] = leads("folders", folderURN(to.uid))
		wanted.events = append(wanted.events, noun+".moved")
	}
	if h.draw(3) == 0 {
		wanted.hidden = !thing.hidden
		attributes["hidden"] = wanted.hidden
		wanted.events = append(wanted.events, noun+map[bool]string{true: ".hidden", false: ".restored"}[wanted.hidden])
	}
	urn := folderURN(thing.uid)
	if noun == "item" {
		urn = itemURN(thing.uid)
	}
	_, lost := h.insist(http.MethodPatch, h.at(noun+"s", urn), http.StatusOK, object{"data": object{
		"type": noun + "s", "id": urn, "attributes": attributes, "relationships": relationships,
	}})
	h.count(lost)
	*thing = wanted
}

// check compares what the hand knows with what is found, and with the events.
func (h *hand) check(found map[string]string) {
	h.Helper()
	for _, thing := range append(h.folders, h.items...) {
		in := h.files
		if thing.in != nil {
			in = thing.in.uid
		}
		want := fmt.Sprintf("%s in %s, hidden: %t, tip: %d", thing.name, in, thing.hidden, thing.tip)
		if found[thing.uid] != want {
			h.Errorf("%s is %q, and %q was acknowledged", thing.uid, found[thing.uid], want)
		}
		if diff := cmp.Diff(count(thing.events), count(h.told(thing.uid))); diff != "" {
			h.Errorf("events of %s (-acknowledged +written):\n%s", thing.uid, diff)
		}
	}
}

// told returns the kinds of the events of a thing.
func (y *yard) told(uid string) []string {
	var kinds []string
	for after := ""; ; {
		events, next, err := y.store.ListEvents(y.Context(), storage.EventQuery{Subject: uid},
			storage.PageRequest{After: after})
		y.must(err)
		for _, e := range events {
			kinds = append(kinds, e.Kind)
		}
		if next == "" {
			return kinds
		}
		after = next
	}
}

func count(words []string) map[string]int {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	return n
}
