package people_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/people"
	"github.com/portico-id/portico/storage"
)

func (h *house) plan(t *testing.T, file string) people.ImportPlan {
	t.Helper()
	plan, err := h.people.ReadImport(t.Context(), h.act(), []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Rule: ADMIN-30
func TestAnImportAddsWhoIsNewAndLeavesTheOthers(t *testing.T) {
	h := newHouse(t)
	h.user(t, "known@example.test")
	for name, file := range map[string]string{
		"commas":            "email,given_name,family_name,locale\nann1@example.test,Ann,Lee,en_us\nKnown@Example.test,,,\nbo1@example.test,,,\n",
		"semicolons, a BOM": "\ufeffE-Mail;Given_Name;Family_Name;locale\r\nann2@example.test;Ann;Lee;en_us\r\nknown@example.test;;;\r\nbo2@example.test;;;\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			plan := h.plan(t, file)
			if len(plan.People) != 2 || len(plan.Known) != 1 || plan.Faults != nil {
				t.Fatalf("%+v", plan)
			}
			if err := h.people.CarryOut(t.Context(), h.act(), plan, true, "An Administrator"); err != nil {
				t.Fatal(err)
			}
			ann, err := h.people.FindByID(t.Context(), plan.People[0].ID)
			if diff := cmp.Diff(plan.People[0], ann); diff != "" || err != nil {
				t.Errorf("%v -want +got:\n%s", err, diff)
			}
			if ann.Title() != "Ann Lee" || ann.Profile.Locale != "en-US" || !strings.HasPrefix(plan.People[1].Title(), "bo") {
				t.Errorf("%+v", plan.People)
			}
		})
	}
}

// Rule: ADMIN-30
func TestALineThatIsWrongIsNamedAndNobodyIsImported(t *testing.T) {
	h := newHouse(t)
	h.create(t, people.Newcomer{Email: "known@example.test", Name: "Known", Username: "known"})
	plan := h.plan(t, "email,preferred_username,email_verified\nann@example.test,ann,true\nnone,x,true\nANN@example.test,bob,false\ncarl@example.test,known,true\n"+
		"dora@example.test,Ann,true\nemil@example.test,emil,perhaps\n")
	var got []string
	for _, f := range plan.Faults {
		got = append(got, fmt.Sprint(f.Line, " ", f.Fault.Source))
	}
	want := []string{"3 email", "3 preferred_username", "4 email", "5 preferred_username",
		"6 preferred_username", "7 email_verified"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	err := h.people.CarryOut(t.Context(), h.act(), plan, false, "")
	if !fault.HasReason(err, people.ReasonImportFaults) || !strings.Contains(err.Error(), "Wrong lines: 5.") {
		t.Errorf("it is carried out: %v", err)
	}
	if all, err := h.people.List(t.Context(), storage.UserFilter{}, storage.PageRequest{}); err != nil || all.Total != 1 {
		t.Errorf("%d people, %v", all.Total, err)
	}
}

// Rule: ADMIN-30
func TestWhatIsNoFileOfPeopleIsRefusedAsAWhole(t *testing.T) {
	h := newHouse(t)
	for name, file := range map[string]string{
		"nothing":            "",
		"no people":          "email\n",
		"no address":         "name\nAnn\n",
		"a field of nobody":  "email,password\na@example.test,x\n",
		"a field twice":      "email,name,Name\na@example.test,A,B\n",
		"another encoding":   "email,name\na@example.test,J\xfcrgen\n",
		"a line too long":    "email,name\na@example.test,A,B\n",
		"an open quotation":  "email,name\na@example.test,\"A\n",
		"too many":           "email\n" + strings.Repeat("a@example.test\n", 10001),
		"a picture, perhaps": "\x89PNG\r\n\x1a\n",
	} {
		_, err := h.people.ReadImport(t.Context(), h.act(), []byte(file))
		if f := fault.From(err); err == nil || f.Kind != fault.Invalid || f.Source != people.FieldFile {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Rule: ADMIN-30
func TestWhoTakesAnAddressMeanwhileStopsTheWholeImport(t *testing.T) {
	h := newHouse(t)
	plan := h.plan(t, "email\nann@example.test\nbo@example.test\n")
	h.user(t, "BO@example.test")
	if err := h.people.CarryOut(t.Context(), h.act(), plan, false, ""); !fault.Is(err, fault.Conflict) {
		t.Errorf("it is carried out: %v", err)
	}
	if all, err := h.people.List(t.Context(), storage.UserFilter{}, storage.PageRequest{}); err != nil || all.Total != 1 {
		t.Errorf("%d people, %v", all.Total, err)
	}
}
