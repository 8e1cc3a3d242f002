package connections_test

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/internal/harness/sqlitetest"
	"github.com/portico-id/portico/provider/connections"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/sqlstore"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// onBothEngines runs a test with the rules over a store of each engine.
func onBothEngines(t *testing.T, test func(*testing.T, *connections.Connections, *sqlstore.Store, storage.Act)) {
	for engine, url := range map[string]string{"sqlite": sqlitetest.URL(t), "postgres": pgtest.URL(t)} {
		t.Run(engine, func(t *testing.T) {
			store, err := sqlstore.Open(t.Context(), sqlstore.Options{URL: url, MaxConns: 10, Version: "0.1.0"})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			source := ambient.System()
			rules := connections.New(connections.Options{Store: store, Ambient: source, BaseURL: "https://id.example.test"})
			test(t, rules, store, storage.Act{At: source.Now(), Actor: storage.Actor{Kind: storage.ActorOperator}})
		})
	}
}

// Rule: CONNECTION-1
func TestAConnectionSaysWhatIsWrongWithIt(t *testing.T) {
	onBothEngines(t, func(t *testing.T, rules *connections.Connections, _ *sqlstore.Store, act storage.Act) {
		made, err := rules.Create(t.Context(), act, connections.Change{Name: new(" Works "),
			Domains: new([]string{"Works.test", "", "works.test", "München.test"}), GroupPrefix: new("works ")})
		if err != nil || made.Name != "Works" || made.GroupPrefix != "works " ||
			!slices.Equal(made.Domains, []string{"works.test", "münchen.test"}) {
			t.Fatalf("%+v, %v", made, err)
		}
		if got := rules.URL(made); got != "https://id.example.test/scim/v2/"+made.ID {
			t.Errorf("its address is %s", got)
		}
		for field, wrong := range map[string]connections.Change{
			connections.FieldName:    {Name: new("  ")},
			connections.FieldDomains: {Name: new("a"), Domains: new([]string{"works"})},
			connections.FieldPrefix:  {Name: new("a"), GroupPrefix: new("a\nb")},
		} {
			_, err := rules.Create(t.Context(), act, wrong)
			if !fault.Is(err, fault.Invalid) || sourceOf(err) != field {
				t.Errorf("%s: %v", field, err)
			}
		}
		if _, err := rules.Create(t.Context(), act, connections.Change{Name: new("WORKS")}); !fault.HasReason(err,
			storage.ReasonNameTaken) {
			t.Errorf("the same name: %v", err)
		}
		if _, err := rules.Update(t.Context(), act, "none", connections.Change{}); !fault.Is(err, fault.NotFound) {
			t.Errorf("none: %v", err)
		}
	})
}

func sourceOf(err error) string {
	var list fault.List
	if errors.As(err, &list) && len(list) > 0 {
		return list[0].Source
	}
	return fault.From(err).Source
}

// Rule: CONNECTION-2
func TestTwoTokensAtATimeAreKeptAsHashes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, rules *connections.Connections, store *sqlstore.Store, act storage.Act) {
		c, err := rules.Create(t.Context(), act, connections.Change{Name: new("Works")})
		if err != nil {
			t.Fatal(err)
		}
		finds := func(text string, at time.Time) bool {
			hash := sha256.Sum256([]byte(text))
			_, _, err := store.FindSCIMCaller(t.Context(), hash[:], at)
			if err != nil && !fault.Is(err, fault.NotFound) {
				t.Fatal(err)
			}
			return err == nil
		}
		first, text, err := rules.AddToken(t.Context(), act, c.ID, "first", 1)
		if err != nil || !strings.HasPrefix(text, connections.TokenPrefix) || len(text) < 40 {
			t.Fatalf("%q, %v", text, err)
		}
		if !finds(text, act.At) || finds(text+"x", act.At) || finds(text, act.At.Add(24*time.Hour)) {
			t.Error("the token does not count from now on for a day")
		}
		if _, _, err := rules.AddToken(t.Context(), act, c.ID, "second", connections.SomeDays); err != nil {
			t.Fatal(err)
		}
		_, _, err = rules.AddToken(t.Context(), act, c.ID, "third", connections.SomeDays)
		if !fault.HasReason(err, storage.ReasonTokensFull) {
			t.Errorf("a third: %v", err)
		}
		if err := rules.EndToken(t.Context(), act, c.ID, first.ID); err != nil || finds(text, act.At) {
			t.Errorf("ended, it counts: %v", err)
		}
		_, third, err := rules.AddToken(t.Context(), act, c.ID, "third", connections.SomeDays)
		if err != nil || !finds(third, act.At.Add(364*24*time.Hour)) {
			t.Errorf("in the place of the first: %v", err)
		}
		if _, err := rules.Update(t.Context(), act, c.ID, connections.Change{Disabled: new(true)}); err != nil ||
			finds(third, act.At) {
			t.Errorf("disabled, it counts: %v", err)
		}
		for label, days := range map[string]int{"": 1, "long": 2000, "none": 0, "short": -1} {
			if _, _, err := rules.AddToken(t.Context(), act, c.ID, label, days); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q for %d days: %v", label, days, err)
			}
		}
		tokens, err := rules.Tokens(t.Context(), c.ID)
		if err != nil || len(tokens) != 2 || strings.Contains(string(tokens[1].Hash), third) {
			t.Errorf("%+v, %v", tokens, err)
		}
	})
}
