package facilities

import (
	"fmt"
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Each column is compared with those before it: a file of eight megabytes could have a million.
// Rule: TWIN-2
func TestAFileHasNoMoreColumnsThanATwinHasProperties(t *testing.T) {
	for columns, fits := range map[int]bool{storage.MaxProperties: true, storage.MaxProperties + 1: false} {
		var head strings.Builder
		head.WriteString("key")
		for i := range columns {
			fmt.Fprintf(&head, ",z:c%d", i)
		}
		_, err := readSheet(strings.NewReader(head.String()+"\n"), nil)
		if fits != (err == nil) || !fits && (!fault.Is(err, fault.Invalid) || fault.From(err).Source != FieldFile) {
			t.Errorf("%d columns: %v", columns, err)
		}
	}
}

// Spreadsheets put a mark before what is UTF-8, and some all texts into quotation marks.
//
// Rule: TWIN-2
func TestAFileOfASpreadsheetIsReadThoughItBeginsWithAMark(t *testing.T) {
	for _, file := range []string{"key,z:c\na,1\n", "\ufeffkey,z:c\na,1\n", "\ufeff\"key\",\"z:c\"\r\n\"a\",\"1\"\r\n"} {
		s, err := readSheet(strings.NewReader(file), nil)
		if err != nil || s.elements != 1 || s.values != 1 {
			t.Errorf("%q: %d elements with %d values, %v", file, s.elements, s.values, err)
		}
	}
	for _, file := range []string{"", "\ufeff", "\ufeff\ufeffkey\n"} {
		if _, err := readSheet(strings.NewReader(file), nil); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", file, err)
		}
	}
}
