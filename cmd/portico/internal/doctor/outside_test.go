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
// Some leave the date of then beside it, and some write that of the moment.
//
// Rule: DOCTOR-1
func TestACacheBeforeTheServerIsNoClockThatIsWrong(t *testing.T) {
	source := ambient.System()
	for _, is := range []struct {
		dated time.Duration
		age   string
		sound bool
	}{
		{-20 * time.Minute, "1200", true},
		{0, "1200", true},
		{-20 * time.Minute, "", false},
		{-40 * time.Minute, "1200", false},
		{20 * time.Minute, "1200", false},
	} {
		var cache *httptest.Server
		cache = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", source.Now().Add(is.dated).UTC().Format(http.TimeFormat))
			if is.age != "" {
				w.Header().Set("Age", is.age)
			}
			_, _ = fmt.Fprintf(w, `{"issuer":%q}`, cache.URL)
		}))
		t.Cleanup(cache.Close)
		found := baseURL(t.Context(), Patient{Config: config.Config{BaseURL: cache.URL}, Ambient: source})
		if (len(found) == 0) != is.sound {
			t.Errorf("dated %v, age %q: %+v", is.dated, is.age, found)
		}
	}
}
