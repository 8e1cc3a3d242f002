package twins

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/pattern"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// cell is a value of an element; property 0 is the element itself.
type cell struct {
	Element  int64 `db:"element_id"`
	Property int64 `db:"property_id"`
}

// cursor is where a list of cells goes on.
func (c cell) cursor() string { return fmt.Sprintf("[%d,%d]", c.Element, c.Property) }

func parseCell(cursor string) (cell, error) {
	var after [2]int64
	if cursor != "" && json.Unmarshal([]byte(cursor), &after) != nil {
		return cell{}, engine.BadCursor()
	}
	return cell{after[0], after[1]}, nil
}

// isThere is the value of an element itself.
const isThere = "true"

// board is what a mutation works on: elements, properties and values as the
// tables have them, and as they are to be. A cell without a value is empty.
type board struct {
	tx         tx
	facility   facilityRow
	model      modelRow
	elements   map[string]int64 // by key
	fresh      map[int64]string // keys of elements that the tables do not have
	properties map[[2]string]propertyRow
	added      []propertyRow // of them those that the tables do not have
	spare      []int64       // ids for more of them
	was, now   map[cell]string
	cells      map[int64][]cell // of each element, those in now
}

const (
	selectElementsByKey = `
SELECT id, element_key, present FROM elements WHERE model_id = ? AND element_key IN (?)`

	selectValuesOf = `
SELECT element_id, property_id, value FROM element_values WHERE element_id IN (?)`

	// Looked up cell by cell: elements may have many more values.
	selectCells = `
WITH wanted (element_id, property_id) AS (%s)
SELECT v.element_id, v.property_id, v.value
FROM wanted w JOIN element_values v ON v.element_id = cast(w.element_id AS bigint) AND v.property_id = cast(w.property_id AS bigint)`
)

// newBoard returns an empty board for a model of the facility.
func (t tx) newBoard(ctx context.Context, facility facilityRow, modelUID string) (*board, error) {
	b := &board{
		tx: t, facility: facility, elements: map[string]int64{}, fresh: map[int64]string{},
		properties: map[[2]string]propertyRow{}, was: map[cell]string{}, now: map[cell]string{}, cells: map[int64][]cell{},
	}
	err := t.Get(ctx, &b.model, selectModel, engine.Args{"facility_id": facility.ID, "uid": modelUID})
	if engine.IsNoRow(err) {
		err = fault.New(fault.NotFound, storage.ReasonModelAbsent, "There is no such model in the facility.")
	}
	return b, err
}

// look fills the board with what the mutation is about.
func (b *board) look(ctx context.Context, mutation storage.Mutation) error {
	var properties []propertyRow
	if err := b.tx.List(ctx, &properties, selectProperties, engine.Args{"facility_id": b.facility.ID}); err != nil {
		return err
	}
	for _, p := range properties {
		b.properties[[2]string{p.Family, p.Column}] = p
	}
	if err := b.lookForElements(ctx, mutation.Changes); err != nil {
		return err
	}
	var err error
	b.spare, err = b.tx.NewIDs(ctx, "properties", b.unknownProperties(mutation))
	return err
}

func (b *board) lookForElements(ctx context.Context, changes []storage.ElementChange) error {
	var keys []string
	wanted := map[string]bool{}
	for _, c := range changes {
		if _, met := wanted[c.Key]; !met {
			keys = append(keys, c.Key)
		}
		wanted[c.Key] = wanted[c.Key] || c.Op != storage.OpClear && c.Op != storage.OpDelete
	}
	var rows []struct {
		ID      int64
		Key     string `db:"element_key"`
		Present bool
	}
	if err := engine.Among(ctx, b.tx, &rows, selectElementsByKey, keys, b.model.ID); err != nil {
		return err
	}
	for _, row := range rows {
		b.elements[row.Key] = row.ID
		if row.Present {
			b.set(cell{Element: row.ID}, isThere)
		}
	}
	if err := b.lookForCells(ctx, changes); err != nil {
		return err
	}
	return b.makeElements(ctx, keys, wanted)
}

// lookForCells reads the values that are spoken of, and all those of elements
// that are to be deleted.
func (b *board) lookForCells(ctx context.Context, changes []storage.ElementChange) error {
	met := map[cell]bool{}
	var cells [][]any
	var whole []int64
	for _, c := range changes {
		at := cell{b.elements[c.Key], b.properties[[2]string{c.Family, c.Column}].ID}
		if c.Op == storage.OpDelete {
			at.Property = 0
		}
		switch {
		case at.Element == 0 || met[at]:
			continue
		case c.Op == storage.OpDelete:
			whole = append(whole, at.Element)
		case at.Property == 0: // nobody has a value of a property that is new
			continue
		default:
			cells = append(cells, []any{at.Element, at.Property})
		}
		met[at] = true
	}
	var rows []valueRow
	if err := engine.ListRows(ctx, b.tx, &rows, selectCells, cells); err != nil {
		return err
	}
	if err := engine.Among(ctx, b.tx, &rows, selectValuesOf, whole); err != nil {
		return err
	}
	for _, row := range rows {
		b.set(row.cell, row.Value)
	}
	return nil
}

// makeElements gives ids to elements that come into being.
func (b *board) makeElements(ctx context.Context, keys []string, wanted map[string]bool) error {
	var unknown []string
	for _, key := range keys {
		if _, known := b.elements[key]; !known && wanted[key] {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	ids, err := b.tx.NewIDs(ctx, "elements", len(unknown))
	for i, id := range ids {
		b.elements[unknown[i]], b.fresh[id] = id, unknown[i]
	}
	return err
}

// valueRow is a cell with its value.
type valueRow struct {
	cell
	Value string
}

// lookForValues reads all values of elements.
func (b *board) lookForValues(ctx context.Context, elements []int64) error {
	var rows []valueRow
	if err := engine.Among(ctx, b.tx, &rows, selectValuesOf, elements); err != nil {
		return err
	}
	for _, row := range rows {
		b.set(row.cell, row.Value)
	}
	return nil
}

// set says how a cell is in the tables, put how it is to be.
func (b *board) set(c cell, value string) {
	b.was[c] = value
	b.put(c, value)
}

func (b *board) put(c cell, value string) {
	if _, met := b.now[c]; !met {
		b.cells[c.Element] = append(b.cells[c.Element], c)
	}
	b.now[c] = value
}

// unknownProperties counts those that may have to be made.
func (b *board) unknownProperties(mutation storage.Mutation) int {
	unknown := map[[2]string]bool{}
	for _, p := range mutation.Define {
		unknown[[2]string{p.Family, p.Column}] = true
	}
	for _, c := range mutation.Changes {
		if c.Op != storage.OpWrite && c.Op != storage.OpWriteDiff {
			continue
		}
		unknown[[2]string{c.Family, c.Column}] = true
	}
	n := 0
	for name := range unknown {
		if _, known := b.properties[name]; !known {
			n++
		}
	}
	return n
}

// apply does what the mutation says, on the board.
func (b *board) apply(mutation storage.Mutation) error {
	for _, p := range mutation.Define {
		if _, known := b.properties[[2]string{p.Family, p.Column}]; known {
			continue
		}
		if len(b.properties) >= storage.MaxProperties {
			return tooManyProperties()
		}
		b.addProperty(p)
	}
	for i, c := range mutation.Changes {
		var err error
		switch c.Op {
		case storage.OpWrite, storage.OpWriteDiff:
			err = b.write(c)
		case storage.OpClear:
			b.clear(c)
		case storage.OpDelete:
			b.remove(c.Key)
		case storage.OpMake:
			b.put(cell{Element: b.elements[c.Key]}, isThere)
		default:
			err = fault.Newf(fault.Invalid, "", "There is no operation %q.", string(c.Op))
		}
		if err != nil {
			return atChange(err, i)
		}
	}
	return nil
}

func (b *board) addProperty(p storage.Property) propertyRow {
	row := propertyRow{b.spare[0], p}
	b.spare = b.spare[1:]
	b.properties[[2]string{p.Family, p.Column}] = row
	b.added = append(b.added, row)
	return row
}

func (b *board) write(c storage.ElementChange) error {
	property, known := b.properties[[2]string{c.Family, c.Column}]
	if !known {
		if c.Family != storage.UserFamily {
			return fault.Newf(fault.Invalid, storage.ReasonPropertyAbsent,
				"There is no property %s:%s. Only those of family %s come into being with a value.", c.Family,
				c.Column, storage.UserFamily)
		}
		if len(b.properties) >= storage.MaxProperties {
			return tooManyProperties()
		}
		property = b.addProperty(storage.Property{Family: c.Family, Column: c.Column, Name: c.Column, Type: typeOf(c.Value)})
	}
	if !fits(property.Type, c.Value) {
		return fault.Newf(fault.Invalid, storage.ReasonValueType,
			"Values of %s:%s are of the type %s.", c.Family, c.Column, property.Type)
	}
	element := b.elements[c.Key]
	b.put(cell{Element: element}, isThere)
	b.put(cell{element, property.ID}, c.Value)
	return nil
}

func tooManyProperties() error {
	return fault.Newf(fault.Invalid, storage.ReasonPropertyAbsent,
		"A facility has at most %d properties.", storage.MaxProperties)
}

func (b *board) clear(c storage.ElementChange) {
	element, known := b.elements[c.Key]
	property, also := b.properties[[2]string{c.Family, c.Column}]
	if known && also {
		b.put(cell{element, property.ID}, "")
	}
}

func (b *board) remove(key string) {
	for _, c := range b.cells[b.elements[key]] {
		b.now[c] = ""
	}
}

// typeOf is the type of a property whose first value this is.
func typeOf(value string) storage.PropertyType {
	switch value[:1] {
	case `"`:
		return storage.PropertyText
	case "t", "f":
		return storage.PropertyBoolean
	}
	return storage.PropertyNumber
}

// fits reports whether a property of the type may have the value.
func fits(t storage.PropertyType, value string) bool {
	if t == storage.PropertyDocument {
		address := strings.HasPrefix(value, `"https://`) || strings.HasPrefix(value, `"http://`)
		return address || documentIn(value) != ""
	}
	return t == typeOf(value)
}

// documentURN is a value that names a document, in whatever name space.
var documentURN = pattern.Of(`^"urn:[A-Za-z0-9-]+:dtd:([A-Za-z0-9_-]{22})"$`)

// documentIn returns the short id of the document that the value names, if it
// names one.
func documentIn(value string) string {
	if found := documentURN().FindStringSubmatch(value); found != nil {
		return found[1]
	}
	return ""
}

// atChange says which operation a refusal is about.
func atChange(err error, i int) error { return fault.From(err).At(strconv.Itoa(i)) }
