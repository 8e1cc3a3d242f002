package accounts_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/provider/accounts"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// armed is a store in which the person of the id signs in by all that there is.
type armed struct{ *sqlstore.Store }

func (armed) ListIdentities(_ context.Context, userID string) ([]storage.UpstreamIdentity, error) {
	return []storage.UpstreamIdentity{{UpstreamID: "works", Issuer: "https://id.works.test", Subject: "sub-" + userID,
		Email: "ann@works.test", LinkedAt: time.Unix(1e9, 0)}}, nil
}

func (armed) FindFactors(_ context.Context, userID string) (storage.Factors, error) {
	return storage.Factors{Authenticator: storage.Authenticator{UserID: userID, Secret: []byte("SECRET"),
		CreatedAt: time.Unix(1e9, 0)}, Codes: 7, Passkeys: []storage.Passkey{{Label: "Her telephone",
		Credential: []byte("SECRET"), CreatedAt: time.Unix(1e9, 0)}}}, nil
}

// Rule: HOME-8
func TestAnArchiveTellsByWhatItsPersonSignsIn(t *testing.T) {
	store, err := sqlstore.Open(t.Context(), engine.Options{URL: sqlitetest.URL(t), Version: "0.1.0", Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var out bytes.Buffer
	rules := accounts.New(accounts.Options{Store: armed{store}, Ambient: ambient.System()})
	if err := rules.Archive(t.Context(), &out, storage.User{ID: "u1"}); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for name, words := range map[string][]string{
		"connected-accounts.json": {`"works"`, `"https://id.works.test"`, `"sub-u1"`, `"ann@works.test"`, "2001-09-09"},
		"second-factors.json":     {`"authenticator"`, `"passkey"`, `"Her telephone"`, "2001-09-09"},
	} {
		file, err := archive.Open(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, err := io.ReadAll(file)
		for _, word := range words {
			if err != nil || !strings.Contains(string(text), word) || strings.Contains(string(text), "SECRET") {
				t.Errorf("%s lacks %s, %v: %s", name, word, err, text)
			}
		}
	}
}
