package demo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// sheet is what a person needs to use the demo.
type sheet struct {
	url, user, password, clientID, clientSecret, hub, project string

	file, userID string // are not told
}

// field is one line of the file.
type field struct {
	name  string
	value *string
}

func (s *sheet) fields() []field {
	return []field{
		{"DEMO_URL", &s.url},
		{"DEMO_USER", &s.user},
		{"DEMO_PASSWORD", &s.password},
		{"DEMO_CLIENT_ID", &s.clientID},
		{"DEMO_CLIENT_SECRET", &s.clientSecret},
		{"DEMO_HUB", &s.hub},
		{"DEMO_PROJECT", &s.project},
	}
}

// readSheet returns what is in the file; an absent file is an empty sheet.
func readSheet(path string) (sheet, error) {
	var s sheet
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		for _, field := range s.fields() {
			if field.name == name {
				*field.value = value
			}
		}
	}
	return s, err
}

// write replaces the file.
func (s *sheet) write() error {
	var lines strings.Builder
	for _, field := range s.fields() {
		fmt.Fprintf(&lines, "%s=%s\n", field.name, quoted(*field.value))
	}
	return os.WriteFile(s.file, []byte(lines.String()), 0o600)
}

// quoted is a value as a shell reads it as text and nothing more: the person chooses their
// address, and `id`@example.test is one. What is read back holds nothing of the kind.
func quoted(value string) string {
	if !strings.ContainsFunc(value, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/@+[]"

func (s *sheet) print(out io.Writer) {
	_, _ = fmt.Fprintf(out, `
Portico is at %s

  sign in as     %s
  password       %s
  client id      %s
  client secret  %s
  hub            %s
  project        %s

The one you sign in as owns the Demo App, to look at and try out under "Apps I develop",
and administers the hub %s. With the same password sign in, with fewer rights,
%s
An administrator of the server sees the hub listed, and its files as its member:
  portico member add --hub %s --user YOU@example.com --role admin

The same is in %s, for the shell:  . %s

`, s.url, s.user, s.password, s.clientID, s.clientSecret, s.hub, s.project, hubName, others(), s.hub, s.file, s.file)
}

// others lists the demo people and what each of them sees.
func others() string {
	var all strings.Builder
	for _, p := range cast() {
		fmt.Fprintf(&all, "  %-26s  %s\n", p.email, p.sees)
	}
	return all.String()
}
