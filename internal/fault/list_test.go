package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

func TestAListKeepsEveryFaultAndTheKindOfTheFirst(t *testing.T) {
	var inner, list fault.List
	inner.Add(fault.New(fault.Invalid, "a", "A.").At("name"))
	inner.Add(fault.New(fault.Conflict, "b", "B.").At("email"))
	list.Add(nil)
	list.Add(inner.Err())
	list.Add(errors.New("x"))

	err := list.Err()
	if all := fault.All(err); len(all) != 3 || all[1].Source != "email" || all[2].Kind != fault.Internal {
		t.Errorf("the list holds %v", all)
	}
	wrapped := fmt.Errorf("saving: %w", err)
	if !fault.Is(wrapped, fault.Invalid) || !fault.HasReason(wrapped, "a") {
		t.Errorf("%v is not of the first fault's kind", wrapped)
	}
}

func TestAnEmptyListIsNoError(t *testing.T) {
	var list fault.List
	if list.Err() != nil || fault.All(nil) != nil {
		t.Error("nothing wrong is an error")
	}
	if all := fault.All(fault.New(fault.Gone, "g", "")); len(all) != 1 || all[0].Reason != "g" {
		t.Errorf("a single fault gives %v", all)
	}
}
