package engine

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/storage"
)

func TestColumnsAreNamedAsFields(t *testing.T) {
	type row struct {
		ID, RedirectURIs, SHA256, LeanIDToken, RequirePKCE string
	}
	l := layout{}
	l.add(reflect.TypeFor[row](), "", nil)
	want := layout{"id": {0}, "redirect_uris": {1}, "sha256": {2}, "lean_id_token": {3}, "require_pkce": {4}}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatIsNearerHasTheName(t *testing.T) {
	type inner struct {
		ID, Name  string
		Extension struct{ Type string }
	}
	type row struct {
		ID string
		inner
		Tip inner `db:"tip"`
		storage.Stamp
	}
	l := layout{}
	l.add(reflect.TypeFor[row](), "", nil)
	for column, want := range map[string][]int{
		"id": {0}, "name": {1, 1}, "extension_type": {1, 2, 0}, "tip.id": {2, 0},
		"tip.extension_type": {2, 2, 0}, "created_at": {3, 0},
	} {
		if diff := cmp.Diff(want, l[column]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", column, diff)
		}
	}
}
