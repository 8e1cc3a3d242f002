//go:build linux || darwin

package doctor

import "syscall"

// SpaceLeft returns the bytes that are left for us where the folder lies.
func SpaceLeft(folder string) (left uint64, known bool) {
	var room syscall.Statfs_t
	if err := syscall.Statfs(folder, &room); err != nil {
		return 0, false
	}
	return room.Bavail * uint64(room.Bsize), true // #nosec G115 -- a block has a size
}

func maxDescriptors() (most uint64, known bool) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return limit.Max, err == nil
}
