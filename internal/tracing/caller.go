package tracing

import (
	"runtime"
	"strings"
)

const (
	module  = "github.com/portico-id/portico/"
	deepest = 48
)

// Act returns the name of the outermost function of ours, in a package of the folder or
// below, that waits for what goes on: identity.RedeemCode for storage/sqlstore. Empty:
// there is none.
func Act(folder string) string {
	var found string
	callers(func(name string) bool {
		if strings.HasPrefix(name, folder+"/") || strings.HasPrefix(name, folder+".") {
			found = name
		}
		return true
	})
	if found == "" {
		return ""
	}
	room, function, _ := strings.Cut(found[strings.LastIndexByte(found, '/')+1:], ".")
	if receiver, method, ok := strings.Cut(function, ")."); ok && strings.HasPrefix(receiver, "(") {
		function = method
	}
	function, _, _ = strings.Cut(function, ".") // of a function within one
	function, _, _ = strings.Cut(function, "[") // of one for many types
	return room + "." + function
}

// room returns the package of ours, outside internal, that began a call: dataapi/webhooks.
func room() string {
	var found string
	callers(func(name string) bool {
		if strings.HasPrefix(name, "internal/") {
			return true
		}
		slash := strings.LastIndexByte(name, '/')
		dot := strings.IndexByte(name[slash+1:], '.')
		found = name[:slash+1+dot]
		return false
	})
	return found
}

// callers has a look at the names of our functions, the innermost first, while it wants more.
func callers(look func(name string) bool) {
	var counters [deepest]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if name, ours := strings.CutPrefix(frame.Function, module); ours && !look(name) {
			return
		}
	}
}
