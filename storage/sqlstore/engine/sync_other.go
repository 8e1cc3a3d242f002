//go:build !linux

package engine

import "os"

// syncFile has the disk keep a file.
func syncFile(file *os.File) error { return file.Sync() }

// forget is for a system that forgets where it failed to write.
func forget(*os.File, int64, int) {}
