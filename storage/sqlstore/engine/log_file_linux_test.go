package engine

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Whoever writes has made their change by the time they wait for the disk: called failed, it
// would be made once more.
//
// Rule: SERVER-70
func TestWhatIsWrittenIsKeptWhereNoMoreFilesCanBeOpened(t *testing.T) {
	db := heated(t)
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	none := files
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	err := db.Write(t.Context(), touches)
	if back := unix.Setrlimit(unix.RLIMIT_NOFILE, &files); back != nil {
		t.Fatal(back)
	}
	if err != nil {
		t.Error(err)
	}
}
