package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lib/pq"
)

// Rule: SERVER-35
func TestHostsOfAURLMayEachHaveTheirPort(t *testing.T) {
	type host struct {
		Host  string
		Port  uint16
		Attrs pq.TargetSessionAttrs
	}
	const writes = pq.TargetSessionAttrsReadWrite
	for raw, want := range map[string][]host{
		"postgres://u:p@one/db":                            {{"one", 5432, ""}},
		"postgres://u:p@one:6000/db":                       {{"one", 6000, ""}},
		"postgres://u:p@one:6000,two:6001/db":              {{"one", 6000, writes}, {"two", 6001, writes}},
		"postgres://u:p@one:6000,two/db?connect_timeout=3": {{"one", 6000, writes}, {"two", 5432, writes}},
		"postgres://u:p%40,x@one,two,three/db": {{"one", 5432, writes}, {"two", 5432, writes},
			{"three", 5432, writes}},
		"postgres://u@[::1]:6000,[::2]:6001/db":                        {{"::1", 6000, writes}, {"::2", 6001, writes}},
		"postgres://u@one:1,two:2/db?target_session_attrs=any":         {{"one", 1, "any"}, {"two", 2, "any"}},
		"postgres://u@one,two/db?port=6000,6001":                       {{"one", 6000, writes}, {"two", 6001, writes}},
		"postgres://u@/db?host=one,two&port=6000,6001&sslmode=disable": {{"one", 6000, writes}, {"two", 6001, writes}},
	} {
		config, err := postgresConfig(raw, false)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		var got []host
		for _, one := range eachHost(config) {
			got = append(got, host{one.Host, one.Port, one.TargetSessionAttrs})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

// Rule: SERVER-49
func TestTheURLIsReadAgainForEachConnection(t *testing.T) {
	now, failure := "postgres://u:one@first/db", error(nil)
	c, err := newConnector(Options{URL: now, Now: func() (string, error) { return now, failure }})
	if err != nil {
		t.Fatal(err)
	}
	before := c.current()[0]
	if c.current()[0] != before {
		t.Error("the same URL is another host")
	}
	for _, useless := range []string{"", "postgres", "postgres://u%zz@first/db"} {
		now = useless
		if len(c.current()) != 1 || c.current()[0] != before {
			t.Errorf("%q is taken", useless)
		}
	}
	now, failure = "postgres://u:two@first,second/db", errors.New("it can't be read")
	if len(c.current()) != 1 {
		t.Error("what could not be read is taken")
	}
	if failure = nil; len(c.current()) != 2 {
		t.Error("another URL is not taken")
	}
}

func TestNoticesComeFromAHostThatWrites(t *testing.T) {
	for raw, want := range map[string]string{
		"postgres://u@one/db": "any", "postgres://u@one:1,two:2/db": "read-write",
		"postgres://u@/db?host=one,two":                        "read-write",
		"postgres://u@one,two/db?target_session_attrs=standby": "standby",
	} {
		config, err := pq.NewConfig(noticesURL(raw))
		if err != nil || string(config.TargetSessionAttrs) != want || config.ConnectTimeout != connectWithin {
			t.Errorf("%s: %q after %v, %v", raw, config.TargetSessionAttrs, config.ConnectTimeout, err)
		}
	}
}
