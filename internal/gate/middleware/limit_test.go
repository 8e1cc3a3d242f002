package middleware_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/middleware"
)

// Rule: SERVER-31
func TestAWorkEndsWithItsLimitUnlessItTakesItsTime(t *testing.T) {
	const limit = 50 * time.Millisecond
	for name, c := range map[string]struct {
		begin func(*http.ResponseController)
		ended bool
	}{
		"one that does nothing about it": {func(*http.ResponseController) {}, true},
		"one that lifts the limit":       {func(c *http.ResponseController) { _ = c.SetWriteDeadline(time.Time{}) }, false},
		"one that lifts it and ends it": {func(c *http.ResponseController) {
			_ = c.SetWriteDeadline(time.Time{})
			_ = c.SetWriteDeadline(time.Unix(1, 0))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			handler := func(w http.ResponseWriter, r *http.Request) {
				c.begin(http.NewResponseController(w))
				select {
				case <-r.Context().Done():
				case <-time.After(10 * limit):
				}
				if ended := errors.Is(context.Cause(r.Context()), context.DeadlineExceeded); ended != c.ended {
					t.Errorf("ended: %v", ended)
				}
			}
			limited := middleware.Limit(limit, ambient.System(), http.HandlerFunc(handler))
			limited.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		})
	}
}
