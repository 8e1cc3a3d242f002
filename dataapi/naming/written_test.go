package naming_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/dataapi/naming"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

// Rule: CDE-5
func TestTheFieldsOfARuleAreWrittenAndRead(t *testing.T) {
	fields := []storage.NamingField{{Name: "Type", Values: []string{"DR", "M3"}}, {Name: "Number", Digits: 4},
		{Name: "Title", Max: 30}, {Name: "Rest"}}
	text := "Type: DR, M3\nNumber: ####\nTitle: *30\nRest"
	if got := naming.Write(fields); got != text {
		t.Errorf("written is\n%s", got)
	}
	for _, typed := range []string{text, " Type :DR,M3, \r\n\r\nNumber:####\r\nTitle:*30\r\nRest:\r\n"} {
		got, err := naming.Read(typed)
		if diff := cmp.Diff(fields, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got)\n%s", typed, err, diff)
		}
	}
	for _, wrong := range []string{"Title: *", "Title: *x", "Title: *0"} {
		if _, err := naming.Read(wrong); !fault.Is(err, fault.Invalid) || fault.From(err).Source != "fields" {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if got, err := naming.Read(" \n\n"); got != nil || err != nil {
		t.Errorf("nothing is %v, %v", got, err)
	}
}
