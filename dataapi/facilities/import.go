package facilities

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/element"
	"github.com/portico-id/portico/dataapi/setup"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Bounds of a file of elements.
const (
	MaxImport       = 64 << 20 // bytes
	maxImportValues = 500_000
)

// keyColumn is the head of the column with the keys of elements.
const keyColumn = "key"

// Imported is what came of a file.
type Imported struct {
	Elements int
	Values   int
	Mutation int64 // number of the mutation; 0: all was there already
}

// ImportElements reads elements with their values from a CSV file and writes
// them into a model (empty: the default one), all or nothing, as one mutation.
//
// The file is UTF-8. Its first line names the columns: key, then properties as
// family:column, family:column:type or family:column:type:Name; a type is text
// unless the facility has the property. An empty cell leaves a value alone.
// Invalid, with the line; NotFound.
func (a *Rules) ImportElements(ctx context.Context, change storage.Change, twinID, modelID string,
	file io.Reader) (Imported, error) {
	known, err := a.store.ListProperties(ctx, twinID)
	if err != nil {
		return Imported{}, err
	}
	sheet, err := readSheet(file, known)
	if err != nil {
		return Imported{}, err
	}
	sheet.mutation.FacilityID, sheet.mutation.ModelID = twinID, modelID
	record, err := a.store.Mutate(ctx, change, sheet.mutation)
	if fault.HasReason(err, storage.ReasonModelAbsent) {
		return Imported{}, fault.Absent(FieldModel)
	}
	if fault.Is(err, fault.Invalid) {
		return Imported{}, sheet.located(err)
	}
	return Imported{Elements: sheet.elements, Values: sheet.values, Mutation: record.Number},
		fault.OrAbsent(err, FieldTwin)
}

// sheet is a file that was read.
type sheet struct {
	mutation storage.Mutation
	lines    []int // of the changes
	elements int
	values   int
}

func readSheet(file io.Reader, known []storage.Property) (sheet, error) {
	s := sheet{mutation: storage.Mutation{Description: "Import of elements"}}
	limited := &io.LimitedReader{R: file, N: MaxImport + 1}
	rows := csv.NewReader(withoutMark(limited))
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return s, unreadable(err)
	}
	columns, err := readHead(head, known)
	if err != nil {
		return s, err
	}
	s.mutation.Define = columns
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if limited.N == 0 {
			return s, fault.Newf(fault.TooLarge, "", "The file is larger than %d MiB.", MaxImport>>20).At(FieldFile)
		}
		if err != nil {
			return s, unreadable(err)
		}
		line, _ := rows.FieldPos(0)
		if err := s.add(row, columns, line); err != nil {
			return s, atLine(line, err)
		}
	}
}

// mark is what spreadsheets put before UTF-8.
const mark = "\ufeff"

// withoutMark is the file behind its mark: what follows may be in quotation marks.
func withoutMark(file io.Reader) io.Reader {
	from := bufio.NewReader(file)
	if begins, _ := from.Peek(len(mark)); string(begins) == mark {
		_, _ = from.Discard(len(mark))
	}
	return from
}

// readHead returns the properties behind the first column.
func readHead(head []string, known []storage.Property) ([]storage.Property, error) {
	if head[0] != keyColumn {
		return nil, atLine(1, fault.New(fault.Invalid, "", `The first column must be called "key".`))
	}
	if len(head)-1 > storage.MaxProperties {
		return nil, atLine(1, fault.Newf(fault.Invalid, "", "A facility has at most %d properties.", storage.MaxProperties))
	}
	columns := make([]storage.Property, len(head)-1)
	for i, name := range head[1:] {
		parts := strings.SplitN(name, ":", 4)
		if len(parts) < 2 {
			return nil, atLine(1, fault.Newf(fault.Invalid, "", "The column %q must look like family:column:type:Name.", name))
		}
		p := storage.Property{Family: parts[0], Column: parts[1], Name: parts[1], Type: storage.PropertyText}
		if err := element.CheckColumn(p.Family, p.Column); err != nil {
			return nil, atLine(1, err)
		}
		if i := slices.IndexFunc(known, func(k storage.Property) bool {
			return k.Family == p.Family &&
				k.Column == p.Column
		}); i >= 0 {
			p.Type, p.Name = known[i].Type, known[i].Name
		}
		if len(parts) > 2 && parts[2] != "" {
			p.Type = storage.PropertyType(parts[2])
		}
		if len(parts) > 3 && parts[3] != "" {
			var err error
			if p.Name, err = setup.Name(parts[3], "name of a column"); err != nil {
				return nil, atLine(1, err)
			}
		}
		if !slices.Contains(element.Types(), p.Type) {
			return nil, atLine(1, fault.Newf(fault.Invalid, "", "There is no type %q: it is text, number, boolean or document.",
				parts[2]))
		}
		if slices.ContainsFunc(columns[:i], func(other storage.Property) bool {
			return other.Family == p.Family &&
				other.Column == p.Column
		}) {
			return nil, atLine(1, fault.Newf(fault.Invalid, "", "The column %s:%s stands there twice.", p.Family, p.Column))
		}
		columns[i] = p
	}
	return columns, nil
}

// add takes a line of the file. An element without values comes into being all
// the same.
func (s *sheet) add(row []string, columns []storage.Property, line int) error {
	key := strings.Clone(row[0])
	if err := element.CheckKey(key); err != nil {
		return err
	}
	s.elements++
	s.change(line, storage.ElementChange{Op: storage.OpMake, Key: key})
	for i, p := range columns {
		if row[i+1] == "" {
			continue
		}
		value, err := element.Parse(strings.Clone(row[i+1]), p.Type)
		if err != nil {
			return err
		}
		s.values++
		s.change(line, storage.ElementChange{Op: storage.OpWriteDiff, Key: key, Family: p.Family,
			Column: p.Column, Value: value})
	}
	if len(s.mutation.Changes) > maxImportValues {
		return fault.Newf(fault.Invalid, "", "A file has at most %d elements and values: cut it in pieces.", maxImportValues)
	}
	return nil
}

func (s *sheet) change(line int, c storage.ElementChange) {
	s.mutation.Changes = append(s.mutation.Changes, c)
	s.lines = append(s.lines, line)
}

// located says in which line the store found something wrong.
func (s *sheet) located(err error) error {
	f := fault.From(err)
	i, failed := strconv.Atoi(f.Source)
	if failed != nil || i >= len(s.lines) {
		return f.At(FieldFile)
	}
	return atLine(s.lines[i], f)
}

func atLine(line int, err error) error {
	f := fault.From(err)
	return fault.Newf(f.Kind, "invalid_field", "Line %d: %s", line, f.Detail).At(FieldFile)
}

func unreadable(err error) error {
	if errors.Is(err, io.EOF) {
		return setup.Invalid(FieldFile, "The file is empty.")
	}
	var wrong *csv.ParseError
	if errors.As(err, &wrong) {
		return setup.Invalid(FieldFile, fmt.Sprintf("Line %d is no line of CSV with as many cells as the first.", wrong.Line))
	}
	return err
}
