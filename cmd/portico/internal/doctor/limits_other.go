//go:build !linux && !darwin

package doctor

// SpaceLeft returns the bytes that are left for us where the folder lies.
func SpaceLeft(string) (left uint64, known bool) { return 0, false }

func diskOf(folder string) string { return folder }

// Foreign reports that we are root, and the folder is somebody else's.
func Foreign(string) bool { return false }

func maxDescriptors() (most uint64, known bool) { return 0, false }
