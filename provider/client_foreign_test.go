package provider_test

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/provider/apps"
	"github.com/portico-id/portico/storage"
)

// hashedAsElsewhere has the app's secret be known by a hash alone, as Authelia makes it.
func (w *world) hashedAsElsewhere(a app) storage.ClientSecret {
	w.Helper()
	salt := []byte("salt of sixteen.")
	key, err := pbkdf2.Key(sha512.New, a.Secret, salt, 1000, 64)
	w.must(err)
	raw := base64.RawStdEncoding
	hash := fmt.Sprintf("$pbkdf2-sha512$1000$%s$%s", raw.EncodeToString(salt), raw.EncodeToString(key))
	secret := w.onlySecret(a)
	w.must(w.Store.AdoptClientSecret(w.Context(), secret.ID, secret.Hash, []byte(hash)))
	w.Provider.ForgetClients()
	return w.onlySecret(a)
}

func (w *world) onlySecret(a app) storage.ClientSecret {
	w.Helper()
	c, err := w.Store.FindClient(w.Context(), a.ID)
	w.must(err)
	return c.Secrets[0]
}

// Rule: MOVE-6
func TestASecretThatCameAsAHashProvesItsAppAndIsKeptAsOursFromThenOn(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Type: storage.ClientService})
	if came := w.hashedAsElsewhere(a); came.Foreign() == "" {
		t.Fatal("it is one of ours")
	}
	wrong := a
	wrong.Secret = "not " + a.Secret
	w.refused(w.token(wrong, credentials()), http.StatusUnauthorized, "invalid_client")
	if w.onlySecret(a).Foreign() == "" {
		t.Error("a wrong secret was kept")
	}
	w.granted(a, credentials())
	sum := sha256.Sum256([]byte(a.Secret))
	if diff := cmp.Diff(sum[:], w.onlySecret(a).Hash); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.granted(a, credentials())
	w.refused(w.token(wrong, credentials()), http.StatusUnauthorized, "invalid_client")
}

// Rule: MOVE-6
func TestASecretThatCameAsAHashCanNotBeGuessedAtWill(t *testing.T) {
	w := newWorld(t, settings{})
	a := w.app(apps.Registration{Type: storage.ClientService})
	other := w.app(apps.Registration{Type: storage.ClientService})
	w.hashedAsElsewhere(a)
	w.hashedAsElsewhere(other)
	wrong, status := a, 0
	for n := 0; status != http.StatusTooManyRequests; n++ {
		wrong.Secret = fmt.Sprint("guess ", n)
		if status = w.token(wrong, credentials()).Status; n > 60 {
			t.Fatalf("after %d guesses: %d", n, status)
		}
	}
	w.granted(other, credentials())
}
