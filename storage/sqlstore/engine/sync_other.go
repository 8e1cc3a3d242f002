//go:build !linux

package engine

import "os"

// syncFile has the disk keep a file.
func syncFile(file *os.File) error { return file.Sync() }
