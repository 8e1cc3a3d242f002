package commands

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/portico-id/portico/cmd/portico/internal/version"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

// onFirst does something as soon as anything is written.
type onFirst struct {
	io.Writer
	do func()
}

func (w *onFirst) Write(text []byte) (int, error) {
	if w.do != nil {
		w.do()
		w.do = nil
	}
	return w.Writer.Write(text)
}

// A trail of years does not fit into memory.
//
// Rule: ADMIN-19
func TestTheTrailIsWrittenAsItIsRead(t *testing.T) {
	path := t.TempDir() + "/portico.db"
	sqlitetest.Create(t, path)
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: "sqlite:" + path, Version: version.Number})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for range storage.MaxPage + 1 {
		act := storage.Act{At: ambient.System().Now(), Actor: storage.Actor{Kind: storage.ActorOperator}}
		if err := store.RecordAudit(t.Context(), storage.AuditEvent{Act: act, Kind: "user.created"}); err != nil {
			t.Fatal(err)
		}
	}
	list := func(do func()) (int, int) {
		var out, said bytes.Buffer
		code := Execute(t.Context(), &Env{Stdin: strings.NewReader(""), Stdout: &onFirst{&out, do}, Stderr: &said,
			Environ: []string{"PORTICO_DATABASE_URL=sqlite:" + path}, Ambient: ambient.System(), Store: store},
			[]string{"audit", "list", "--ndjson"}, nil)
		return code, strings.Count(out.String(), "\n")
	}
	if code, lines := list(nil); code != 0 || lines != storage.MaxPage+1 {
		t.Errorf("%d, %d lines", code, lines)
	}
	if code, lines := list(func() { _ = store.Close() }); code != 1 || lines != storage.MaxPage {
		t.Errorf("where the database is gone after the first page it ends with %d and %d lines", code, lines)
	}
}
