package commands

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/fault"
)

// maxPasswordInput bounds what is read from standard input, in bytes.
const maxPasswordInput = 16 << 10

// yesFlag adds --yes to a command that destroys something.
func yesFlag(command *cobra.Command) *bool {
	return command.Flags().Bool("yes", false, "Do it without asking.")
}

// confirm asks the person at the terminal. Where there is none, only --yes
// goes through, so that no script destroys anything by accident.
func (e *Env) confirm(yes bool, question string, args ...any) error {
	if yes {
		return nil
	}
	if !e.atTerminal() {
		return usagef("this can't be undone, and there is no terminal to ask at: add --yes")
	}
	_, _ = fmt.Fprint(e.Stderr, plain(fmt.Sprintf(question+" [y/N] ", args...)))
	answer, _ := bufio.NewReader(e.Stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return fmt.Errorf("nothing was changed")
}

func (e *Env) atTerminal() bool { return isTerminal(e.Stdin) }

func (e *Env) stderrIsTerminal() bool { return isTerminal(e.Stderr) }

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

// readPassword reads the password from standard input: all of it, without one
// line break at its end.
func (e *Env) readPassword() (string, error) {
	if e.atTerminal() {
		e.note("Reading the password from the terminal, where it can be seen. End it with Enter and Ctrl-D.")
	}
	input, err := io.ReadAll(io.LimitReader(e.Stdin, maxPasswordInput+1))
	if err != nil {
		return "", fmt.Errorf("reading the password: %w", err)
	}
	plain := strings.TrimSuffix(strings.TrimSuffix(string(input), "\n"), "\r")
	switch {
	case plain == "":
		return "", fmt.Errorf("there is no password on standard input")
	case len(input) > maxPasswordInput:
		return "", fmt.Errorf("the password on standard input is too long")
	}
	return plain, nil
}

// formError shows every fault of a form at once, by the flags that were given.
type formError struct{ lines []string }

// inFlags names flags in the place of fields; flag returns that of a fault, ""
// when it is about none. Errors that are not only about flags pass through.
func inFlags(err error, flag func(*fault.Error) string) error {
	var lines []string
	for _, f := range fault.All(err) {
		name := flag(f)
		if name == "" {
			return err
		}
		lines = append(lines, name+": "+f.Detail)
	}
	if lines == nil {
		return nil
	}
	return &formError{lines}
}

// Error returns the only fault in one line, or each in a line of its own.
func (f *formError) Error() string {
	if len(f.lines) == 1 {
		return f.lines[0]
	}
	return fmt.Sprintf("%d things are wrong:\n  %s", len(f.lines), strings.Join(f.lines, "\n  "))
}

// seeAlso adds where to look when what was named does not exist.
func seeAlso(err error, command string) error {
	if fault.Is(err, fault.NotFound) {
		return fmt.Errorf("%s See portico %s", fault.From(err).Detail, command)
	}
	return err
}

// wants says which arguments a command has that was given others.
func wants(command *cobra.Command, args []string) error {
	names := strings.Fields(command.Use)[1:]
	if len(names) == 0 {
		return usagef("takes no %q: put what has blanks in quotes", args[0])
	}
	return usagef("wants %s, got %d arguments", strings.Join(names, " and "), len(args))
}
