package sqlstore_test

import (
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
	"github.com/portico-id/portico/storage/storagetest"
)

// onEngines runs a benchmark on both engines, and on PostgreSQL as behind a pooler.
func onEngines(b *testing.B, bench func(*testing.B, *storagetest.World)) {
	b.Run("sqlite", func(b *testing.B) { bench(b, storagetest.NewWorld(b, onSQLite())) })
	b.Run("postgres", func(b *testing.B) { bench(b, storagetest.NewWorld(b, onPostgres())) })
	b.Run("unprepared", func(b *testing.B) {
		bench(b, storagetest.NewWorld(b, storagetest.Engine{NewDatabase: onPostgres().NewDatabase, Open: openPooled}))
	})
}

func openPooled(t testing.TB, database string, conns int) storage.Identity {
	return openURL(t, sqlstore.Options{URL: database, MaxConns: conns, Version: thisBinary,
		Migrate: true, Unprepared: true})
}

func BenchmarkFindClient(b *testing.B) {
	onEngines(b, func(b *testing.B, w *storagetest.World) {
		client := w.Client()
		w.Must(w.Store.AddClientSecret(w.Ctx(), w.Act(), client.ID,
			storage.ClientSecret{ID: "s", Hash: []byte{1}, CreatedAt: w.Now()}))
		for b.Loop() {
			if _, err := w.Store.FindClient(w.Ctx(), client.ID); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTokenState(b *testing.B) {
	onEngines(b, func(b *testing.B, w *storagetest.World) {
		grant := w.Grant(w.User().ID, w.Client().ID)
		query := storage.TokenQuery{JTI: "jti", ClientID: grant.ClientID, GrantID: grant.ID, UserID: grant.UserID}
		for b.Loop() {
			if state, err := w.Store.TokenState(w.Ctx(), query); err != nil || !state.Active {
				b.Fatal(state, err)
			}
		}
	})
}

func BenchmarkRedeemCode(b *testing.B) {
	onEngines(b, func(b *testing.B, w *storagetest.World) {
		user, client := w.User(), w.Client()
		for b.Loop() {
			b.StopTimer()
			code := w.Code(user.ID, client.ID)
			b.StartTimer()
			if err := w.Store.RedeemCode(w.Ctx(), w.Act(), code.Hash, grantOf(code)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkRotateRefresh(b *testing.B) {
	onEngines(b, func(b *testing.B, w *storagetest.World) {
		use := storage.RefreshUse{GrantID: w.Grant(w.User().ID, w.Client().ID).ID, Lifetime: time.Hour}
		for b.Loop() {
			use.Generation++
			if _, err := w.Store.RotateRefresh(w.Ctx(), w.Act(), use); err != nil {
				b.Fatal(err)
			}
		}
	})
}
