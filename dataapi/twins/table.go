package twins

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/element"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
)

const (
	csvType  = "text/csv"
	maxTable = 16 << 20 // bytes
	maxLines = 100_000
)

// tableHead names the columns of a table of elements and their documents. name
// is for people: nobody reads it back.
func tableHead() []string { return []string{"key", "family", "column", "document", "name"} }

// GetTable serves GET /twins/{twinID}/elements/documents: which values of a model
// (modelId; without it of the default one) name which documents, as a CSV file.
func (h *Handler) GetTable(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinRead)
	if err != nil {
		return err
	}
	model, err := h.tableModel(r, a)
	if err != nil {
		return err
	}
	names, err := h.names(r, a)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	rows := csv.NewWriter(&file)
	_ = rows.Write(tableHead()) // a buffer takes everything
	for page := (storage.PageRequest{}); ; {
		uses, next, err := h.store.ListUses(r.Context(), a.id(), "", page)
		if err != nil {
			return err
		}
		for _, u := range uses {
			if u.ModelID == model {
				_ = rows.Write([]string{plain(u.Key), u.Family, u.Column, h.urn.Document(u.DocumentID), plain(names[u.DocumentID])})
			}
		}
		if page.After = next; next == "" {
			break
		}
	}
	rows.Flush()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", csvType+"; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="documents.csv"`)
	_, err = w.Write(file.Bytes())
	return err
}

// tableModel returns the model that a table is of.
func (h *Handler) tableModel(r *http.Request, a asked) (string, error) {
	wanted, err := h.modelIn(r.URL.Query().Get("modelId"))
	if err != nil {
		return "", err
	}
	models, err := h.store.ListModels(r.Context(), a.id())
	if err != nil {
		return "", err
	}
	for _, m := range models {
		if m.ID == wanted || wanted == "" && m.Default {
			return m.ID, nil
		}
	}
	return "", fault.Absent("model")
}

// names returns what the documents of the facility are called, by id.
func (h *Handler) names(r *http.Request, a asked) (map[string]string, error) {
	names := map[string]string{}
	for page := (storage.PageRequest{}); ; {
		documents, next, err := h.store.ListDocuments(r.Context(), a.id(), storage.DocumentQuery{}, page)
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			names[d.ID] = d.Name
		}
		if page.After = next; next == "" {
			return names, nil
		}
	}
}

// plain keeps spreadsheets from taking a cell for a formula; unplain takes that
// back.
func plain(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t'", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func unplain(cell string) string { return strings.TrimPrefix(cell, "'") }

// PutTable serves PUT /twins/{twinID}/elements/documents: it writes the values of
// such a table, as one mutation. An empty document clears a value; values that
// the table does not name stay.
func (h *Handler) PutTable(w http.ResponseWriter, r *http.Request) error {
	a, err := h.reach(r, storage.TwinReadWrite)
	if err != nil {
		return err
	}
	model, err := h.tableModel(r, a)
	if err != nil {
		return err
	}
	file, err := httpio.ReadFile(w, r, csvType, maxTable)
	if err != nil {
		return err
	}
	changes, lines, err := readTable(file)
	if err != nil {
		return err
	}
	httpio.AtLeisure(w)
	done, err := h.store.Mutate(r.Context(), h.change(r, a.who), storage.Mutation{
		FacilityID: a.id(), ModelID: model, Description: "Table of documents", Changes: changes,
	})
	if fault.Is(err, fault.Invalid) {
		f := fault.From(err)
		if i, failed := strconv.Atoi(f.Source); failed == nil && i < len(lines) {
			return atLine(lines[i], f)
		}
		return f
	}
	if err != nil {
		return fault.OrAbsent(err, "twin")
	}
	return write(w, mutated{done.At.UnixMilli(), done.Number})
}

// readTable returns the operations of a table, and the lines they stand in.
func readTable(file []byte) (changes []storage.ElementChange, lines []int, err error) {
	file = bytes.TrimPrefix(file, []byte("\ufeff")) // what follows may be in quotation marks
	rows := csv.NewReader(bytes.NewReader(file))
	head, err := rows.Read()
	if err != nil || len(head) < 4 || head[0] != "key" ||
		strings.Join(head[1:4], ",") != "family,column,document" {
		return nil, nil, invalid("line 1", "The first line must be "+strings.Join(tableHead(), ",")+".")
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return changes, lines, nil
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return nil, nil, invalid(fmt.Sprintf("line %d", wrong.Line),
				"This is no line of CSV with as many cells as the first.")
		}
		if err != nil {
			return nil, nil, err
		}
		line, _ := rows.FieldPos(0)
		change, err := tableRow(row)
		if err != nil {
			return nil, nil, atLine(line, err)
		}
		if changes, lines = append(changes, change), append(lines, line); len(changes) > maxLines {
			return nil, nil, atLine(line, fault.Newf(fault.Invalid, reasonInvalid, "A table has at most %d lines.", maxLines))
		}
	}
}

func tableRow(row []string) (storage.ElementChange, error) {
	change := storage.ElementChange{Op: storage.OpClear, Key: unplain(row[0]), Family: row[1], Column: row[2]}
	if err := element.CheckKey(change.Key); err != nil {
		return change, err
	}
	if err := element.CheckColumn(change.Family, change.Column); err != nil || row[3] == "" {
		return change, err
	}
	var err error
	change.Op = storage.OpWriteDiff
	change.Value, err = element.Text(row[3])
	return change, err
}

func atLine(line int, err error) error {
	return fault.From(err).At(fmt.Sprintf("line %d", line))
}
