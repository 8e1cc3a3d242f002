package upstreams

import "testing"

// Rule: FED-28
func TestGoogleIsAskedForNoPromptThatItRefuses(t *testing.T) {
	for preset, want := range map[string]string{"google": "select_account", "entra": "login", "portico": "login"} {
		if got := anew(Presets()[preset].Config.Issuer); got != want {
			t.Errorf("%s is asked with the prompt %q", preset, got)
		}
	}
}
