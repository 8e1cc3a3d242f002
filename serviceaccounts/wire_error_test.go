package serviceaccounts

import (
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/fault"
)

// Rule: ACCOUNT-12
func TestEveryKindOfFaultHasAnAnswer(t *testing.T) {
	for _, kind := range fault.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			if _, mapped := byKind[kind]; !mapped {
				t.Fatal("not mapped")
			}
			recorder := httptest.NewRecorder()
			WriteError(recorder, httptest.NewRequest("GET", "/", nil),
				fault.New(kind, "some_reason", "What is wrong.").After(1500*time.Millisecond))
			if recorder.Code < 400 || recorder.Header().Get("Retry-After") != "2" {
				t.Errorf("%d %v", recorder.Code, recorder.Header())
			}
			if kind == fault.Internal {
				if recorder.Code != 500 || recorder.Body.Len() != 0 {
					t.Errorf("%d %q, want 500 without a body", recorder.Code, recorder.Body)
				}
				return
			}
			var body map[string]string
			if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			if body["title"] == "" || body["detail"] != "What is wrong." || len(body) != 2 {
				t.Errorf("body %v", body)
			}
		})
	}
}
