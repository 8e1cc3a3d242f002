package commands_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// checkJSON is the script command json. Negated, it wants the path to be
// absent, or its value to be another.
func checkJSON(ts *testscript.TestScript, negated bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json FILE PATH [VALUE]")
	}
	got, there := valueAt(ts, args[0], args[1])
	holds := there && (len(args) == 2 || got == args[2])
	if holds == negated {
		ts.Fatalf("%s in %s is %q (there: %v)", args[1], args[0], got, there)
	}
}

// getJSON is the script command getjson.
func getJSON(ts *testscript.TestScript, negated bool, args []string) {
	if len(args) != 3 || negated {
		ts.Fatalf("usage: getjson NAME FILE PATH")
	}
	value, there := valueAt(ts, args[1], args[2])
	if !there {
		ts.Fatalf("%s has no %s", args[1], args[2])
	}
	ts.Setenv(args[0], value)
}

// valueAt walks into the document. The step len is a list's length; a
// step "name.with.dots" is written with its dots escaped as \.
func valueAt(ts *testscript.TestScript, file, path string) (value string, there bool) {
	var document any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &document))
	for _, step := range splitPath(path) {
		switch node := document.(type) {
		case map[string]any:
			if document, there = node[step]; !there {
				return "", false
			}
		case []any:
			if step == "len" {
				return strconv.Itoa(len(node)), true
			}
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(node) {
				return "", false
			}
			document = node[i]
		default:
			return "", false
		}
	}
	if document == nil {
		return "null", true
	}
	if list, ok := document.([]any); ok {
		return strings.Trim(fmt.Sprint(list), "[]"), true
	}
	return fmt.Sprint(document), true
}

func splitPath(path string) []string {
	steps := strings.Split(strings.ReplaceAll(path, `\.`, "\x00"), ".")
	for i := range steps {
		steps[i] = strings.ReplaceAll(steps[i], "\x00", ".")
	}
	return steps
}
