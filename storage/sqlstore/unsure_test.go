package sqlstore_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

// cutAtCommit returns the URL of a way to the server that ends when a commit is carried out,
// before anybody is told: as where a host vanishes, or another takes its place.
func cutAtCommit(t *testing.T, to string) string {
	t.Helper()
	address, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	network, far := "unix", filepath.Join(query.Get("host"), ".s.PGSQL.5432")
	if address.Host != "" {
		network, far = "tcp", address.Host
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, far)
			if err != nil {
				_ = client.Close()
				return
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() { answers(client, server); _ = client.Close() }()
		}
	}()
	query.Del("host")
	address.Host, address.RawQuery = l.Addr().String(), query.Encode()
	return address.String()
}

// answers hands on what the server says, up to its word on a commit.
func answers(client io.Writer, server io.Reader) {
	said := make([]byte, 64<<10)
	for {
		n, err := server.Read(said)
		if err != nil || bytes.Contains(said[:n], []byte("COMMIT\x00")) {
			return
		}
		if _, err := client.Write(said[:n]); err != nil {
			return
		}
	}
}

// Rule: FORM-4
func TestACommitOfWhichNobodyIsToldIsSaidToBeUnsure(t *testing.T) {
	engine := onPostgres()
	there := pgtest.URL(t)
	engine.NewDatabase = func(testing.TB) string { return there }
	w := storagetest.NewWorld(t, engine)
	client, user := w.Client(), w.User()
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: cutAtCommit(t, there), Version: thisBinary})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	err = store.AddClientMember(t.Context(), w.Act(), client.ID, user.ID)
	said := "The database does not say whether this was kept. Look whether it was done before you try again."
	if f := fault.From(err); f.Kind != fault.Unavailable || f.Detail != said || !errors.Is(err, storage.ErrUnsure) {
		t.Errorf("who can't know it is told %v", err)
	}
	if all, err := w.Store.ListClientMembers(t.Context(), client.ID); err != nil || len(all) != 1 {
		t.Errorf("it was carried out: %v, %v", all, err)
	}
	err = store.AddClientMember(t.Context(), w.Act(), "none", user.ID)
	if errors.Is(err, storage.ErrUnsure) {
		t.Errorf("what was refused before is not unsure: %v", err)
	}
}
