package office

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/portico-id/portico/templates"
)

// Rule: FILES-19
func TestALongListIsShownInPagesAndFound(t *testing.T) {
	var all []templates.Listed
	for i := range 250 {
		all = append(all, templates.Listed{Name: fmt.Sprintf("Jürgen %03d", i)})
	}
	type shown struct {
		First, Last    string
		Count          int
		Finds          bool
		Previous, Next string
	}
	for address, c := range map[string]struct {
		rows []templates.Listed
		want shown
	}{
		"/l":                    {all, shown{"Jürgen 000", "Jürgen 099", 100, true, "", "/l?p=1"}},
		"/l?p=1":                {all, shown{"Jürgen 100", "Jürgen 199", 100, true, "/l?p=0", "/l?p=2"}},
		"/l?p=2":                {all, shown{"Jürgen 200", "Jürgen 249", 50, true, "/l?p=1", ""}},
		"/l?p=99":               {all, shown{"Jürgen 200", "Jürgen 249", 50, true, "/l?p=1", ""}},
		"/l?p=-1":               {all, shown{"Jürgen 000", "Jürgen 099", 100, true, "", "/l?p=1"}},
		"/l?p=junk":             {all, shown{"Jürgen 000", "Jürgen 099", 100, true, "", "/l?p=1"}},
		"/l?q=jurgen+07":        {all, shown{"Jürgen 070", "Jürgen 079", 10, true, "", ""}},
		"/l?q=J%C3%9C&p=1":      {all, shown{"Jürgen 100", "Jürgen 199", 100, true, "/l?p=0&q=J%C3%9C", "/l?p=2&q=J%C3%9C"}},
		"/l?q=nobody":           {all, shown{"", "", 0, true, "", ""}},
		"/short":                {all[:100], shown{"Jürgen 000", "Jürgen 099", 100, false, "", ""}},
		"/short?q=099":          {all[:100], shown{"Jürgen 099", "Jürgen 099", 1, true, "", ""}},
		"/empty":                {nil, shown{"", "", 0, false, "", ""}},
		"/kept?user=somebody":   {all[:101], shown{"Jürgen 000", "Jürgen 099", 100, true, "", "/kept?p=1&user=somebody"}},
		"/done?done=member":     {all[:101], shown{"Jürgen 000", "Jürgen 099", 100, true, "", "/done?p=1"}},
		"/l?q=%20%20jurgen+001": {all, shown{"Jürgen 001", "Jürgen 001", 1, true, "", ""}},
	} {
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		list := part(templates.ListingPage{Rows: c.rows}, at)
		got := shown{Count: len(list.Rows), Finds: list.Finds, Previous: list.PreviousURL, Next: list.NextURL}
		if got.Count > 0 {
			got.First, got.Last = list.Rows[0].Name, list.Rows[got.Count-1].Name
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", address, diff)
		}
	}
	if all[249].Name != "Jürgen 249" || all[0].Name != "Jürgen 000" {
		t.Error("a search changed the list that it was given")
	}
}
