package backup

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/portico-id/portico/storage/sqlstore"
)

// Rows are lines of JSON, the same for both engines: for each table a head, an array
// for each row, with bytes in base64, and a foot.
type (
	head struct {
		Table   string   `json:"table"`
		Columns []string `json:"columns"`
		Last    int64    `json:"last,omitempty"` // what the database has counted up to
	}
	foot struct {
		Rows int `json:"rows"`
	}
)

// writeTable writes a table, and returns how many rows it has.
func writeTable(w io.Writer, h head, each func(yield func([]any) error) error) (int, error) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(h); err != nil {
		return 0, err
	}
	var f foot
	err := each(func(row []any) error {
		f.Rows++
		for i, value := range row {
			switch v := value.(type) {
			case string:
				if !utf8.ValidString(v) { // it would be another text in JSON
					return fmt.Errorf("column %s of table %s holds text that is none (UTF-8)", h.Columns[i], h.Table)
				}
			case []byte:
				if v == nil {
					row[i] = []byte{} // nil is null in JSON
				}
			}
		}
		return encoder.Encode(row)
	})
	return f.Rows, errors.Join(err, encoder.Encode(f))
}

// tables reads what writeTable has written.
type tables struct {
	lines *bufio.Reader
	rows  int // of the present table
}

func readTables(r io.Reader) *tables { return &tables{lines: bufio.NewReaderSize(r, bufferSize)} }

// next goes on to a table; io.EOF says that there is none.
func (t *tables) next() (head, error) {
	var h head
	line, err := t.lines.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return h, err
	}
	t.rows = 0
	return h, json.Unmarshal(line, &h)
}

// row returns a row of the table; io.EOF says that there is none.
func (t *tables) row() ([]json.RawMessage, error) {
	line, err := t.lines.ReadBytes('\n')
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	if line[0] == '[' {
		t.rows++
		var row []json.RawMessage
		return row, json.Unmarshal(line, &row)
	}
	var f foot
	if err := json.Unmarshal(line, &f); err != nil {
		return nil, err
	}
	if f.Rows != t.rows {
		return nil, fmt.Errorf("there are %d rows, and not %d", t.rows, f.Rows)
	}
	return nil, io.EOF
}

// value reads a value for a column of the kind, whichever engine it comes from.
func value(kind sqlstore.Kind, raw json.RawMessage) (any, error) {
	text := string(raw)
	switch {
	case text == "null":
		return nil, nil
	case kind == sqlstore.Bool:
		return text == "true" || text == "1", nil
	case kind == sqlstore.Number && text == "true":
		return int64(1), nil
	case kind == sqlstore.Number && text == "false":
		return int64(0), nil
	case kind == sqlstore.Number:
		return strconv.ParseInt(text, 10, 64)
	case kind == sqlstore.Bytes:
		var b []byte
		err := json.Unmarshal(raw, &b)
		return b, err
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}
