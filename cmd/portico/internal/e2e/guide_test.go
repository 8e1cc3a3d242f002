package e2e

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// readGuide returns a page of docs/guides.
func readGuide(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/guides/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// snippet returns the n-th block of a language in a guide, with the examples
// in it replaced by what is true in the test, in query parameters too. The pairs
// are old, new.
func snippet(t testing.TB, guide, language string, n int, pairs ...string) string {
	t.Helper()
	text := readGuide(t, guide)
	for range n {
		_, text, _ = strings.Cut(text, "\n```"+language+"\n")
	}
	block, _, found := strings.Cut(text, "\n```")
	if !found || n < 1 {
		t.Fatalf("docs/guides/%s has no block %d of %s", guide, n, language)
	}
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(readGuide(t, guide), pairs[i]) {
			t.Fatalf("docs/guides/%s does not mention %s", guide, pairs[i])
		}
		all = append(all, pairs[i], pairs[i+1], url.QueryEscape(pairs[i]), url.QueryEscape(pairs[i+1]))
	}
	return strings.NewReplacer(all...).Replace(block)
}

// register runs the guide's own `portico client create` and returns the client.
func (s *site) register(guide string, pairs ...string) client {
	s.Helper()
	command := strings.ReplaceAll(snippet(s, guide, "sh", 1, pairs...), "\\\n", " ")
	args := words(command)
	if len(args) < 3 || args[0] != "portico" {
		s.Fatalf("docs/guides/%s registers with %q", guide, command)
	}
	var made client
	s.commandJSON(&made, "", args[1:]...)
	return made
}

// words splits a command line at spaces outside of double quotes.
func words(line string) []string {
	var list []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}

var guideMark = regexp.MustCompile(`(?m)^(?://|#) guide: (\w+) (\d)$`)

// weave returns a program of testdata whose marked lines ("// guide: js 1") are
// replaced by the guide's blocks. The pairs replace examples in these.
func weave(t testing.TB, program, guide string, pairs ...string) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", program))
	if err != nil {
		t.Fatal(err)
	}
	return guideMark.ReplaceAllStringFunc(string(source), func(mark string) string {
		part := guideMark.FindStringSubmatch(mark)
		n, _ := strconv.Atoi(part[2])
		return snippet(t, guide, part[1], n, pairs...)
	})
}
