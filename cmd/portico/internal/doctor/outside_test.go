package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
)

// A cache before the server may keep what it says of itself for an hour, and tells how old that is.
//
// Rule: DOCTOR-1
func TestACacheBeforeTheServerIsNoClockThatIsWrong(t *testing.T) {
	source := ambient.System()
	for age, sound := range map[string]bool{"1200": true, "": false} {
		var cache *httptest.Server
		cache = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", source.Now().Add(-20*time.Minute).UTC().Format(http.TimeFormat))
			if age != "" {
				w.Header().Set("Age", age)
			}
			_, _ = fmt.Fprintf(w, `{"issuer":%q}`, cache.URL)
		}))
		t.Cleanup(cache.Close)
		found := baseURL(t.Context(), Patient{Config: config.Config{BaseURL: cache.URL}, Ambient: source})
		if (len(found) == 0) != sound {
			t.Errorf("age %q: %+v", age, found)
		}
	}
}
