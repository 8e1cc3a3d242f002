package transfer

import "io/fs"

// mine reports whether it is a file: whose, its folder says.
func mine(info fs.FileInfo) bool { return info.Mode().IsRegular() }
