package storagetest

import (
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func secretChecks() []check {
	return []check{
		{"AddClientSecret adds the newest, ends what it is told to and refuses a third", addSecret},
		{"AddClientSecret refuses the id of another secret", addTakenSecret},
		{"AddClientSecret forgets what has ended by itself, which needs no room", addBesideEnded},
		{"DeleteClientSecret removes one secret of that client", deleteSecret},
		{"MarkSecretsUsed notes the last use and passes over unknown ids", markSecrets},
		{"MarkSecretsUsed never moves a time back", markSecretsBack},
		{"AdoptClientSecret replaces a hash unless it is another by now", adoptSecret},
	}
}

func (w *World) secret(id string) storage.ClientSecret {
	return storage.ClientSecret{ID: id, Hash: []byte("hash of " + id), CreatedAt: w.Now()}
}

func (w *World) secrets(clientID string) []storage.ClientSecret {
	w.Helper()
	client, err := w.Store.FindClient(w.Ctx(), clientID)
	w.Must(err)
	return client.Secrets
}

func addSecret(w *World) {
	client, other := w.ownedClient("a", "", w.secret("1")), w.ownedClient("b", "", w.secret("other"))
	w.Must(w.Store.AddClientSecret(w.Ctx(), w.Act(), client.ID, w.secret("2")))
	for _, ends := range []string{"", "other", "absent"} {
		w.Refused(w.Store.AddClientSecret(w.Ctx(), w.Act(), client.ID, w.secret("3"), ends), fault.Conflict,
			storage.ReasonSecretsFull)
	}
	w.Equal([]storage.ClientSecret{w.secret("2"), w.secret("1")}, w.secrets(client.ID))
	w.Must(w.Store.AddClientSecret(w.Ctx(), w.Act(), client.ID, w.secret("0"), "1"))
	w.Equal([]storage.ClientSecret{w.secret("0"), w.secret("2")}, w.secrets(client.ID))
	w.Must(w.Store.AddClientSecret(w.Ctx(), w.Act(), client.ID, w.secret("9"), "0", "2"))
	w.Equal([]storage.ClientSecret{w.secret("9")}, w.secrets(client.ID))
	w.Equal([]storage.ClientSecret{w.secret("other")}, w.secrets(other.ID))
	w.Audited("a", "client.secret_added", "client.secret_deleted", "client.secret_deleted",
		"client.secret_added", "client.secret_deleted", "client.secret_added", "client.created")
}

func addBesideEnded(w *World) {
	client := w.ownedClient("a", "", w.secret("1"))
	brief := w.secret("2")
	brief.Label, brief.EndsAt = "Migration", w.Now().Add(time.Hour)
	w.Must(w.Store.AddClientSecret(w.Ctx(), w.Act(), client.ID, brief))
	w.Equal([]storage.ClientSecret{brief, w.secret("1")}, w.secrets(client.ID))
	w.Refused(w.Store.AddClientSecret(w.Ctx(), w.Act(), client.ID, w.secret("3")), fault.Conflict,
		storage.ReasonSecretsFull)
	later := w.Act()
	later.At = brief.EndsAt
	w.Must(w.Store.AddClientSecret(w.Ctx(), later, client.ID, w.secret("3")))
	w.Equal([]storage.ClientSecret{w.secret("3"), w.secret("1")}, w.secrets(client.ID))
}

func addTakenSecret(w *World) {
	w.ownedClient("a", "", w.secret("1"))
	w.ownedClient("b", "")
	w.Refused(w.Store.AddClientSecret(w.Ctx(), w.Act(), "b", w.secret("1")), fault.Conflict, "")
	w.Equal([]storage.ClientSecret(nil), w.secrets("b"))
}

func deleteSecret(w *World) {
	w.ownedClient("a", "", w.secret("2"), w.secret("1"))
	w.ownedClient("b", "")
	w.Refused(w.Store.DeleteClientSecret(w.Ctx(), w.Act(), "b", "1"), fault.NotFound, "")
	w.Refused(w.Store.DeleteClientSecret(w.Ctx(), w.Act(), "a", "3"), fault.NotFound, "")
	w.Must(w.Store.DeleteClientSecret(w.Ctx(), w.Act(), "a", "1"))
	w.Equal([]storage.ClientSecret{w.secret("2")}, w.secrets("a"))
	w.Audited("a", "client.secret_deleted", "client.created")
}

func markSecrets(w *World) {
	w.ownedClient("a", "", w.secret("2"), w.secret("1"))
	used := w.Now().Add(time.Minute)
	w.Must(w.Store.MarkSecretsUsed(w.Ctx(), map[string]time.Time{"1": used, "unknown": used}))
	w.Must(w.Store.MarkSecretsUsed(w.Ctx(), nil))
	one := w.secret("1")
	one.LastUsedAt = used
	w.Equal([]storage.ClientSecret{w.secret("2"), one}, w.secrets("a"))
	w.Audited("a", "client.created")
}

func markSecretsBack(w *World) {
	w.ownedClient("a", "", w.secret("1"))
	used := w.Now().Add(time.Minute)
	for _, at := range []time.Time{used, used.Add(-time.Second)} {
		w.Must(w.Store.MarkSecretsUsed(w.Ctx(), map[string]time.Time{"1": at}))
	}
	w.Equal(used, w.secrets("a")[0].LastUsedAt)
}

func adoptSecret(w *World) {
	client := w.ownedClient("a", "", w.secret("1"))
	hash := w.secret("1").Hash
	for _, was := range [][]byte{[]byte("another"), hash, hash} {
		w.Must(w.Store.AdoptClientSecret(w.Ctx(), "1", was, append([]byte("after "), was...)))
	}
	w.Equal("after hash of 1", string(w.secrets(client.ID)[0].Hash))
	w.Must(w.Store.AdoptClientSecret(w.Ctx(), "none", hash, hash))
}
