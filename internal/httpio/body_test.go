package httpio_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

// reading serves handlers that say how reading went.
func reading(t *testing.T) string {
	t.Helper()
	says := func(w http.ResponseWriter, _ *http.Request, err error) {
		kind := http.StatusTeapot
		if fault.Is(err, fault.Invalid) {
			kind = http.StatusBadRequest
		}
		http.Error(w, err.Error(), kind)
	}
	mux := http.NewServeMux()
	mux.Handle("/form", httpio.Handle(says, func(w http.ResponseWriter, r *http.Request) error {
		_, err := httpio.ReadForm(w, r)
		return err
	}))
	mux.Handle("/json", httpio.Handle(says, func(w http.ResponseWriter, r *http.Request) error {
		var v struct{ A string }
		return httpio.ReadJSON(w, r, &v)
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestABodyThatDoesNotArriveInTimeIsRefused(t *testing.T) {
	url := reading(t)
	for path, sent := range map[string]struct{ media, first, rest string }{
		"/form": {formType, "a=tw", "o"},
		"/json": {"application/json", `{"a":"tw`, `o"}`},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			for _, ends := range []bool{true, false} {
				body, in := io.Pipe()
				go func() {
					_, _ = io.WriteString(in, sent.first)
					if ends {
						_, _ = io.WriteString(in, sent.rest)
						in.Close()
					}
				}()
				response, err := http.Post(url+path, sent.media, body)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(response.Body)
				response.Body.Close()
				got := map[string]any{"ends": ends, "status": response.StatusCode, "closed": response.Close}
				want := map[string]any{"ends": ends, "status": http.StatusOK, "closed": false}
				if !ends {
					want["status"], want["closed"] = http.StatusBadRequest, true
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", text, diff)
				}
			}
		})
	}
}
