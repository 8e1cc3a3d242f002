package app

import (
	"testing"
	"testing/fstest"
)

// Rule: SERVER-37
func TestTheLimitOfMemoryIsThatOfTheContainer(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, c := range map[string]struct {
		files   fstest.MapFS
		limit   int64
		limited bool
	}{
		"no control groups": {fstest.MapFS{}, 0, false},
		"none": {fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("max\n")},
			0, false},
		"of the container": {fstest.MapFS{"proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("157286400\n")}, 157286400, true},
		"of a group": {fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("1000\n")}, 1000, true},
		"of one around it": {fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/memory.max": file("900\n"), "sys/fs/cgroup/a/b/memory.max": file("1000\n")}, 900, true},
		"version 1": {fstest.MapFS{"proc/self/cgroup": file("5:cpu:/a\n4:memory:/a\n"),
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": file("800\n")}, 800, true},
		"version 1, without": {fstest.MapFS{"proc/self/cgroup": file("4:memory:/\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n")}, 0, false},
	} {
		if limit, limited := memoryLimit(c.files); limit != c.limit && c.limited || limited != c.limited {
			t.Errorf("%s: %d, %v", name, limit, limited)
		}
	}
}
