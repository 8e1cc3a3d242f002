package commands

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/portico-id/portico/cmd/portico/internal/wiring"
	"github.com/portico-id/portico/internal/fault"
	movers "github.com/portico-id/portico/provider/moving"
)

const importHelp = `Bring people, groups and clients over from another product: from a file with a JSON
object on each line, as docs/guides/moving-in.md has it, or from what another product
wrote. It is all kept, or nothing; with --keep-going what is wrong is left out and said.
Who or what is here already stays as it is, so that a second time changes nothing.

  portico import --dry-run people-and-apps.jsonl
  portico import --from keycloak realm.json realm-users-0.json
  portico import --from authelia users_database.yml configuration.yml identifiers.yml
  portico import --from dex config.yaml --convert > document.jsonl

FILE - is standard input. People keep their id, by which apps know them, and their
password; clients keep client_id and client_secret.`

// importFlags are how an import is wanted.
type importFlags struct {
	movers.How
	from    string
	convert bool
	json    *bool
}

func newImportCommand(e *Env) *cobra.Command {
	command := &cobra.Command{Use: "import FILE...", Short: "Bring people, groups and clients over from another product",
		Long: importHelp, Args: cobra.MinimumNArgs(1)}
	var with importFlags
	flags := command.Flags()
	flags.BoolVar(&with.DryRun, "dry-run", false, "Say what would be done, and do nothing.")
	flags.BoolVar(&with.KeepGoing, "keep-going", false, "Leave out what is wrong, and take the rest.")
	flags.StringVar(&with.from, "from", "", "Whose files these are: "+strings.Join(movers.Sources(), ", ")+".")
	flags.BoolVar(&with.convert, "convert", false, "Print the document that the files make, and do nothing.")
	complete(command, "from", movers.Sources())
	with.json = jsonFlag(command)
	command.MarkFlagsMutuallyExclusive("convert", "json") // it prints the document
	command.MarkFlagsMutuallyExclusive("convert", "keep-going")
	command.RunE = func(command *cobra.Command, args []string) error {
		if with.convert && with.from == "" {
			return usagef("--convert is of files of another product: say --from which")
		}
		document, err := openDocument(e, with.from, args)
		if err != nil {
			return err
		}
		defer document.Close()
		if with.convert {
			return show(e, document)
		}
		return e.with(command.Context(), func(p *wiring.Parts) error {
			report, err := p.Moving().Import(command.Context(), e.act(), document, with.How)
			if err != nil {
				return err
			}
			return printReport(e, with, report)
		})
	}
	return command
}

// show writes a document, a line at a time, as other JSON is written.
func show(e *Env, document io.Reader) error {
	lines, out := bufio.NewReader(document), escaping{e.Stdout}
	for {
		line, end := lines.ReadBytes('\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
		if errors.Is(end, io.EOF) {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// openDocument opens the file of a document, or a temporary one with what the files of
// another product, or standard input, make. Nobody else can read that, and it is gone
// when it is closed.
func openDocument(e *Env, from string, names []string) (*os.File, error) {
	if from == "" && len(names) > 1 {
		return nil, usagef("one document at a time; several FILEs are for --from")
	}
	if from == "" && names[0] != "-" {
		return os.Open(names[0])
	}
	var files []io.Reader
	for _, name := range names {
		if name == "-" {
			files = append(files, e.Stdin)
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		files = append(files, file)
	}
	document, err := os.CreateTemp("", "portico-import-*")
	if err != nil {
		return nil, err
	}
	err = os.Remove(document.Name())
	switch {
	case err != nil:
	case from == "":
		_, err = io.Copy(document, files[0])
	default:
		err = movers.Convert(from, files, document, wiring.FieldFits)
	}
	if err == nil {
		_, err = document.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, document.Close())
	}
	return document, nil
}

// printReport says what was done. What was wrong is a failure, unless it was to be
// left out: a script that tries first must hear of it.
func printReport(e *Env, with importFlags, r movers.Report) error {
	if *with.json {
		if err := e.printJSON(r); err != nil {
			return err
		}
	} else {
		printReportTables(e, r)
	}
	if r.Wrong == 0 || with.KeepGoing {
		return nil
	}
	return fault.Newf(fault.Invalid, "import_faults", "Wrong lines: %d. Nothing was imported.", r.Wrong)
}

func printReportTables(e *Env, r movers.Report) {
	table := func(header string, lines [][]string) {
		if len(lines) > 0 {
			e.printTable(header, lines)
			e.printf("\n")
		}
	}
	var wrong, differ, notes [][]string
	for _, f := range r.Faults {
		wrong = append(wrong, []string{strconv.Itoa(f.Line), f.Entry, f.Field, f.Detail})
	}
	for _, d := range r.Differs {
		differ = append(differ, []string{strconv.Itoa(d.Line), d.Entry, strings.Join(d.Fields, ", ")})
	}
	for _, n := range r.Notes {
		notes = append(notes, []string{strconv.Itoa(n.Line), n.Text})
	}
	table("LINE ENTRY FIELD WRONG", wrong)
	table("LINE ENTRY OTHERWISE-HERE", differ)
	table("LINE BY-HAND", notes)
	var counts [][]string
	for _, of := range []struct {
		name string
		is   movers.Count
	}{{"groups", r.Groups}, {"users", r.Users}, {"clients", r.Clients}} {
		counts = append(counts, append([]string{of.name}, strings.Fields(fmt.Sprint(of.is.New, of.is.Same, of.is.Differ,
			of.is.Wrong))...))
	}
	e.printTable("KIND NEW SAME OTHERWISE WRONG", counts)
	if r.Imported {
		e.printf("What is new was imported.\n")
	} else {
		e.printf("Nothing was imported.\n")
	}
}
