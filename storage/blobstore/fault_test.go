package blobstore

import (
	"io/fs"
	"syscall"
	"testing"

	"github.com/portico-id/portico/internal/fault"
)

func TestAFullDiskIsUnavailableAndSaysWhy(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := asFault(&fs.PathError{Op: "write", Path: "temporary/x", Err: cause})
		if !fault.Is(err, fault.Unavailable) || !fault.HasReason(err, ReasonNoSpace) {
			t.Errorf("%v becomes %v", cause, err)
		}
	}
	if err := asFault(syscall.EIO); !fault.Is(err, fault.Internal) {
		t.Errorf("a broken disk becomes %v", err)
	}
}
