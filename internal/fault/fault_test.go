package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

func TestEveryKindHasItsOwnName(t *testing.T) {
	seen := map[string]fault.Kind{}
	for _, k := range fault.Kinds() {
		name := k.String()
		if name == "" || name == fmt.Sprintf("kind(%d)", int(k)) {
			t.Errorf("kind %d has no name", int(k))
		}
		if other, dup := seen[name]; dup {
			t.Errorf("kinds %d and %d are both called %q", int(other), int(k), name)
		}
		seen[name] = k
	}
}

func TestKindSurvivesWrapping(t *testing.T) {
	cause := errors.New("disk on fire")
	err := fmt.Errorf("saving: %w", fault.New(fault.Conflict, "email_taken", "Choose another.").Because(cause))
	if !fault.Is(err, fault.Conflict) || !fault.HasReason(err, "email_taken") {
		t.Errorf("wrapped error lost its kind or reason: %v", err)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause can't be reached")
	}
}

// Rule: SERVER-57
func TestPeopleAreToldNoWordsForPrograms(t *testing.T) {
	err := fmt.Errorf("dial: %w", fault.New(fault.Unavailable, "unreachable", "No answer came.").Because(
		fmt.Errorf("tcp: %w", fault.New(fault.Forbidden, "address_not_allowed", "It leads within."))))
	if got := fault.Told(err); got != "dial: No answer came: tcp: It leads within." {
		t.Error(got)
	}
	for _, plain := range []error{errors.New("disk on fire"), fault.New(fault.Gone, "over", "")} {
		if got := fault.Told(plain); got != plain.Error() {
			t.Error(got)
		}
	}
}

func TestForeignErrorIsInternalAndNilIsNothing(t *testing.T) {
	if got := fault.From(errors.New("x")).Kind; got != fault.Internal {
		t.Errorf("foreign error is %v, want internal", got)
	}
	if fault.From(nil) != nil || fault.Is(nil, fault.Internal) {
		t.Error("a nil error has a kind")
	}
}

// Rule: SERVER-32
func TestWhatRanOutIsUnavailableAndNoFailureOfOurs(t *testing.T) {
	for _, gone := range []error{context.DeadlineExceeded, syscall.EMFILE,
		&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOSPC}} {
		if got := fault.From(fmt.Errorf("working: %w", gone)).Kind; got != fault.Unavailable {
			t.Errorf("%v is %v", gone, got)
		}
	}
	if got := fault.From(syscall.EACCES).Kind; got != fault.Internal {
		t.Errorf("a file that may not be opened is %v", got)
	}
}

func TestCopiesLeaveTheOriginalAlone(t *testing.T) {
	base := fault.New(fault.Invalid, "bad", "Bad.")
	_ = base.At("/data/name").Because(errors.New("x")).After(1).With("who", "me")
	if base.Source != "" || base.Unwrap() != nil || base.RetryAfter != 0 || base.Facts != nil {
		t.Errorf("the original changed: %+v", base)
	}
	one := base.With("who", "me")
	two := one.With("when", "now").With("who", "you")
	if len(one.Facts) != 1 || one.Facts["who"] != "me" || two.Facts["who"] != "you" || two.Facts["when"] != "now" {
		t.Errorf("%v and %v", one.Facts, two.Facts)
	}
}

func TestOnlyWhatIsNotFoundBecomesAbsent(t *testing.T) {
	got := fault.From(fault.OrAbsent(fault.New(fault.NotFound, "", "No row."), "folder"))
	if got.Kind != fault.NotFound || got.Reason != "folder_not_found" || got.Detail != "There is no such folder." {
		t.Errorf("%v", got)
	}
	locked := fault.New(fault.Locked, "busy", "")
	if err := fault.OrAbsent(locked, "folder"); !errors.Is(err, locked) || fault.Is(err, fault.NotFound) {
		t.Errorf("%v", err)
	}
	if err := fault.OrAbsent(nil, "folder"); err != nil {
		t.Errorf("%v", err)
	}
}
