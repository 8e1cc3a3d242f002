//go:build unix

package transfer

import (
	"io/fs"
	"os"
	"syscall"
)

// mine reports whether it is a file of the user of the process, by no other name.
func mine(info fs.FileInfo) bool {
	stat, known := info.Sys().(*syscall.Stat_t)
	return info.Mode().IsRegular() && known && int(stat.Uid) == os.Geteuid() && stat.Nlink == 1
}
