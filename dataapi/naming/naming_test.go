package naming

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func rule() storage.Naming {
	return storage.Naming{Separator: "-", Fields: []storage.NamingField{
		{Name: "Project", Values: []string{"RVT"}}, {Name: "Type", Values: []string{"DR", "M3"}},
		{Name: "Number", Digits: 4}, {Name: "Title", Max: 5},
	}}
}

// Rule: CDE-4
func TestANameThatBreaksTheRuleIsToldTheWrongField(t *testing.T) {
	for name, want := range map[string]string{
		"RVT-DR-0001-Doors.pdf": "", "RVT-M3-9999-x": "", "RVT-DR-0001-éàüöä.tar.gz": "Title", "RVT-DR-0001-a.b.pdf": "",
		"RVT-XX-0001-Doors.pdf": "Type", "rvt-DR-0001-Doors.pdf": "Project", "RVT-DR-001-Doors.pdf": "Number",
		"RVT-DR-00O1-Doors.pdf": "Number", "RVT-DR-0001-Windows.pdf": "Title", "RVT-DR-0001-.pdf": "Title",
		"RVT-DR-0001.pdf": "Title", "RVT-DR-0001-a-b.pdf": "Title", "report.pdf": "Project",
	} {
		err := Check(rule(), name)
		if err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), "field "+want)) {
			t.Errorf("%s: %v, want a word about %q", name, err, want)
		}
		if err != nil && !fault.HasReason(err, ReasonName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Check(storage.Naming{}, "whatever"); err != nil {
		t.Error(err)
	}
}

// Rule: CDE-4
func TestARuleThatCannotBeOneIsRefused(t *testing.T) {
	for field, spoil := range map[string]func(*storage.Naming){
		"":                func(*storage.Naming) {},
		"separator":       func(n *storage.Naming) { n.Separator = "." },
		"fields":          func(n *storage.Naming) { n.Fields = make([]storage.NamingField, 21) },
		"fields/1/name":   func(n *storage.Naming) { n.Fields[1].Name = "Project" },
		"fields/2":        func(n *storage.Naming) { n.Fields[2].Digits = 21 },
		"fields/0/values": func(n *storage.Naming) { n.Fields[0].Values = []string{"R-T"} },
	} {
		wrong := rule()
		spoil(&wrong)
		err := Sound(wrong)
		if err == nil && field != "" || err != nil && fault.From(err).Source != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := Sound(storage.Naming{}); err != nil {
		t.Error(err)
	}
}
