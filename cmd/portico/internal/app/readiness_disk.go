//go:build linux || darwin

package app

import "syscall"

// spaceLeft returns the bytes that are left for us where the folder lies.
func spaceLeft(folder string) (left uint64, known bool) {
	var room syscall.Statfs_t
	if err := syscall.Statfs(folder, &room); err != nil {
		return 0, false
	}
	return room.Bavail * uint64(room.Bsize), true // #nosec G115 -- a block has a size
}
