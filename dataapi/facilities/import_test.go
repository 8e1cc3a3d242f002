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
