//go:build linux || darwin

package doctor

import (
	"fmt"
	"syscall"
)

// SpaceLeft returns the bytes that are left for us where the folder lies.
func SpaceLeft(folder string) (left uint64, known bool) {
	var room syscall.Statfs_t
	if err := syscall.Statfs(folder, &room); err != nil {
		return 0, false
	}
	return room.Bavail * uint64(room.Bsize), true // #nosec G115 -- a block has a size
}

// diskOf names the disk on which the folder lies.
func diskOf(folder string) string {
	var is syscall.Stat_t
	if err := syscall.Stat(folder, &is); err != nil {
		return folder
	}
	return fmt.Sprint(is.Dev)
}

// Foreign reports that we are root, and the folder is somebody else's.
func Foreign(folder string) bool {
	var is syscall.Stat_t
	return syscall.Geteuid() == 0 && syscall.Stat(folder, &is) == nil && is.Uid != 0
}

func maxDescriptors() (most uint64, known bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return limit.Max, err == nil
}
