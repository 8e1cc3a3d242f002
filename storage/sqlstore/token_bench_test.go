package sqlstore_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/storagetest"
)

// manyGrants is how many grants are there already, where PORTICO_BENCH_GRANTS says
// nothing else.
const manyGrants = 100_000

// BenchmarkTokensBesideGrants compares the processor time of a token, from its code over
// its first refresh to the question whether it is still good, with many grants beside it
// and with none: in turns, so that both have the same machine. What is reported is the
// median of the rounds, and what it comes to beside the signature of a token.
func BenchmarkTokensBesideGrants(b *testing.B) {
	n := manyGrants
	if text := os.Getenv("PORTICO_BENCH_GRANTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	for name, engine := range map[string]storagetest.Engine{"sqlite": onSQLite(), "postgres": onPostgres()} {
		b.Run(name, func(b *testing.B) {
			empty, full := newTeller(b, engine, name), newTeller(b, engine, name)
			full.fill(n)
			var without, with, signed []time.Duration
			const rounds, tokens = 9, 300
			for range rounds {
				without = append(without, empty.tell(tokens))
				with = append(with, full.tell(tokens))
				signed = append(signed, signatures(b, tokens))
			}
			b.ResetTimer() // what counts is processor time
			emptied, filled, signature := middle(without, tokens), middle(with, tokens), middle(signed, tokens)
			b.ReportMetric(emptied, "empty-µs")
			b.ReportMetric(filled, "full-µs")
			b.ReportMetric(signature, "signature-µs")
			b.ReportMetric((filled+signature)/(emptied+signature), "ratio")
		})
	}
}

func middle(all []time.Duration, of int) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds() * 1e6 / float64(of)
}

func signatures(b *testing.B, n int) time.Duration {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		b.Fatal(err)
	}
	before := processors{}.used(b)
	for range n {
		sum := sha256.Sum256([]byte("a token"))
		if _, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:]); err != nil {
			b.Fatal(err)
		}
	}
	return processors{}.used(b) - before
}

// teller gives tokens of one database.
type teller struct {
	*storagetest.World
	b          *testing.B
	processors processors
	database   string
	user       storage.User
	client     storage.Client
}

func newTeller(b *testing.B, engine storagetest.Engine, name string) *teller {
	database := engine.NewDatabase(b)
	engine.NewDatabase = func(testing.TB) string { return database }
	t := &teller{World: storagetest.NewWorld(b, engine), b: b, database: database}
	t.user, t.client = t.World.User(), t.World.Client()
	if name == "postgres" {
		t.processors.db = openRaw(b, database, "")
	}
	return t
}

// fill makes live grants of the same person and client as the tokens have.
func (t *teller) fill(n int) {
	t.b.Helper()
	db := openRaw(t.b, t.database, "")
	_, err := db.Exec(db.Rebind(`INSERT INTO grants (id, client_id, user_id, session_id, scopes, nonce, claims, auth_time,
		acr, amr, created_at, generation, rotated_at, expires_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		SELECT 'beside' || i, cast(? AS text), cast(? AS text), 's' || i, '[]', '', '', 1, '', '[]', 1, 1, 1, 9000000000000000
		FROM n`), n, t.client.ID, t.user.ID)
	t.Must(err)
	if t.processors.db != nil {
		_, err = db.Exec("ANALYZE")
		t.Must(err)
	}
}

// tell gives so many tokens and returns the processor time they took.
func (t *teller) tell(n int) time.Duration {
	t.b.Helper()
	before := t.processors.used(t.b)
	for range n {
		code := t.Code(t.user.ID, t.client.ID)
		grant := grantOf(code)
		t.Must(t.Store.RedeemCode(t.Ctx(), t.Act(), code.Hash, grant))
		_, err := t.Store.RotateRefresh(t.Ctx(), t.Act(), storage.RefreshUse{GrantID: grant.ID, Generation: 1,
			Lifetime: time.Hour})
		t.Must(err)
		state, err := t.Store.TokenState(t.Ctx(), storage.TokenQuery{JTI: "jti", ClientID: grant.ClientID,
			GrantID: grant.ID, UserID: grant.UserID})
		if t.Must(err); !state.Active {
			t.b.Fatal("a token is not good")
		}
	}
	return t.processors.used(t.b) - before
}
