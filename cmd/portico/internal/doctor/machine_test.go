package doctor

import (
	"context"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

// Rule: DOCTOR-2
func TestOneDoubtAboutTheSettingsHidesNoOther(t *testing.T) {
	found := settings(t.Context(), Patient{Config: config.Config{BaseURL: "https://id.example.test"},
		Logo: func(context.Context) error { return nil }})
	if len(found) != 2 || found[0].Mend == found[1].Mend {
		t.Errorf("%+v", found)
	}
}
