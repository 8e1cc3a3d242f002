package app

import (
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// collectAt has garbage collected when the heap is five times what is alive,
// unless GOGC says otherwise. Hashing one password takes 19 MiB, several times
// all the rest: at Go's own setting nearly every sign-in would begin a
// collection, which tokens that are being signed have to share a processor with.
const collectAt = 400

// ours is the part, in percent, of a container's memory that we take before
// garbage is collected more often. The rest is for what Go does not count.
const ours = 80

func collectLess(environ []string) {
	given := func(name string) bool {
		return slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, name+"=") })
	}
	if !given("GOGC") {
		debug.SetGCPercent(collectAt)
	}
	if limit, limited := memoryLimit(os.DirFS("/")); limited && !given("GOMEMLIMIT") {
		debug.SetMemoryLimit(limit / 100 * ours)
	}
}

// memoryLimit returns how many bytes the container that we run in may have: the
// least of what its control group and those around it say, of either version.
func memoryLimit(root fs.FS) (limit int64, limited bool) {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // not there: not Linux
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		folder, file := "sys/fs/cgroup", "memory.max"
		if slices.Contains(strings.Split(fields[1], ","), "memory") {
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if fields[1] != "" {
			continue
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			if n, ok := readLimit(root, path.Join(folder, group, file)); ok && (!limited || n < limit) {
				limit, limited = n, true
			}
			if group == "/" {
				break
			}
		}
	}
	return limit, limited
}

// readLimit reads a file of a control group. What is larger than any machine is
// no limit.
func readLimit(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is none
	return n, err == nil && n < 1<<60
}
