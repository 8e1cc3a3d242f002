package element_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/element"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func TestAValueHasOneForm(t *testing.T) {
	for raw, want := range map[string]string{
		`"Ä & <b>"`: `"Ä & <b>"`, `"\u00c4"`: `"Ä"`, `1`: "1", `1.0`: "1", `1e2`: "100", `-0.5`: "-0.5",
		`true`: "true", `""`: `""`,
	} {
		got, err := element.Value(json.RawMessage(raw))
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", raw, got, err, want)
		}
	}
	for _, raw := range []string{`null`, `[]`, `{}`, ``, `x`, `"` + strings.Repeat("a", element.MaxValue) + `"`} {
		if got, err := element.Value(json.RawMessage(raw)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20s: %s, %v", raw, got, err)
		}
	}
}

func TestWhatAPersonWritesIsReadByTheTypeOfTheProperty(t *testing.T) {
	for _, c := range []struct {
		text, want string
		of         storage.PropertyType
	}{
		{"1", `"1"`, storage.PropertyText}, {"1", "1", storage.PropertyNumber}, {"true", "true", storage.PropertyBoolean},
		{"true", `"true"`, storage.PropertyText},
		{"https://example.test", `"https://example.test"`, storage.PropertyDocument},
	} {
		got, err := element.Parse(c.text, c.of)
		if err != nil || got != c.want {
			t.Errorf("%s as %s: %s, %v; want %s", c.text, c.of, got, err, c.want)
		}
	}
	for text, of := range map[string]storage.PropertyType{"T\xfcr": storage.PropertyText, "a\x00": storage.PropertyText,
		"x": storage.PropertyNumber, "true": storage.PropertyNumber, "1": storage.PropertyBoolean,
		`"1"`: storage.PropertyNumber} {
		if got, err := element.Parse(text, of); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s as %s: %s, %v", text, of, got, err)
		}
	}
}

func TestKeysAndColumnsHaveTheirForms(t *testing.T) {
	for _, key := range []string{"AAAA", "Tür 1", strings.Repeat("ä", element.MaxKey)} {
		if err := element.CheckKey(key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, key := range []string{"", "a\nb", strings.Repeat("a", element.MaxKey+1), "\xff"} {
		if err := element.CheckKey(key); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", key, err)
		}
	}
	for _, family := range element.Families() {
		if err := element.CheckColumn(family, "0Ac"); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range [][2]string{{"q", "a"}, {"", "a"}, {"z", ""}, {"z", "a b"}, {"z", strings.Repeat("a", 65)}} {
		if err := element.CheckColumn(bad[0], bad[1]); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}
