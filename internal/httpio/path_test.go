package httpio_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
)

func TestPathIDDecodesExactlyOnce(t *testing.T) {
	tests := map[string]struct {
		path, want string
		kind       fault.Kind
	}{
		"plain":                   {path: "/items/abc", want: "abc"},
		"an escaped slash":        {path: "/items/a%2Fb", want: "a/b"},
		"an escaped escape stays": {path: "/items/a%252Fb", want: "a%2Fb"},
		"a plus is a plus":        {path: "/items/a+b", want: "a+b"},
		"U+0000":                  {path: "/items/a%00", kind: fault.Invalid},
		"invalid UTF-8":           {path: "/items/%ff", kind: fault.Invalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got string
			var err error
			router := mux.NewRouter().UseEncodedPath()
			router.HandleFunc("/items/{id}", func(_ http.ResponseWriter, r *http.Request) {
				got, err = httpio.PathID(r, "id")
			})
			router.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, tt.path, nil))
			if got != tt.want || fault.Is(err, tt.kind) != (tt.kind != 0) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
