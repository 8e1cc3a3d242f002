package people

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
)

// Limits of a file of people.
const (
	MaxImport     = 4 << 20 // bytes
	maxImportRows = 10000
)

// FieldFile is the source of faults of a whole file.
const FieldFile = "file"

// ImportPlan is what an import of people would do. Other forms than files of CSV
// make one, too: Judge has the rules.
type ImportPlan struct {
	People []storage.User // who would be added
	Known  []string       // addresses that somebody has: these stay as they are
	Faults []ImportFault  // by line; with any nothing is imported
}

// ImportFault is what is wrong with a line of a file.
type ImportFault struct {
	Line  int // from 1; that of the names of the fields is the first
	Fault *fault.Error
}

// ImportLine is a line of a file, however it was written.
type ImportLine struct {
	Number   int
	Settings []Setting
}

// ReadImport reads a file of CSV, whose first line names fields, and plans its
// import. Invalid, of FieldFile, for what is none.
func (p *People) ReadImport(ctx context.Context, act storage.Act, file []byte) (ImportPlan, error) {
	lines, err := parseImport(file)
	if err != nil {
		return ImportPlan{}, err
	}
	return p.Judge(ctx, act, lines)
}

// parseImport reads lines with commas, or with semicolons as spreadsheets of some
// countries write them.
func parseImport(file []byte) ([]ImportLine, error) {
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	if !utf8.Valid(file) {
		return nil, noImport("The file is not UTF-8: save it as CSV with that encoding.")
	}
	reader := csv.NewReader(bytes.NewReader(file))
	reader.TrimLeadingSpace = true
	first, _, _ := bytes.Cut(file, []byte("\n"))
	if bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		reader.Comma = ';'
	}
	header, err := reader.Read()
	if err != nil {
		return nil, noImport("The file is empty, or no CSV.")
	}
	columns, err := columnsOf(header)
	if err != nil {
		return nil, err
	}
	var lines []ImportLine
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return nil, noImportf("Line %d has other columns than the first line, or a quotation mark that is not closed.",
				broken.Line)
		}
		if len(lines) == maxImportRows {
			return nil, noImportf("The file has more than %d people.", maxImportRows)
		}
		number, _ := reader.FieldPos(0)
		line := ImportLine{Number: number}
		for i, value := range row {
			if value = trimmed(value); value != "" {
				line.Settings = append(line.Settings, Setting{columns[i], value})
			}
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, noImport("The file names nobody.")
	}
	return lines, nil
}

func noImport(text string) error { return fault.New(fault.Invalid, ReasonField, text).At(FieldFile) }

func noImportf(text string, values ...any) error {
	return fault.Newf(fault.Invalid, ReasonField, text, values...).At(FieldFile)
}

// columnsOf reads the names of fields. A few go by what people call them.
func columnsOf(header []string) ([]string, error) {
	columns := make([]string, len(header))
	for i, name := range header {
		name = strings.ToLower(trimmed(name))
		name = cmp.Or(map[string]string{"e-mail": FieldEmail, "mail": FieldEmail, "username": FieldUsername}[name], name)
		if !slices.ContainsFunc(Fields(), func(f Field) bool { return f.Name == name }) {
			return nil, noImportf("The first line names fields, and %s is none.", header[i])
		}
		if slices.Contains(columns, name) {
			return nil, noImportf("The first line names %s twice.", name)
		}
		columns[i] = name
	}
	if !slices.Contains(columns, FieldEmail) {
		return nil, noImport("The first line must name the field email.")
	}
	return columns, nil
}

// Judge plans the import of lines: by the rules of Create, and each person once.
func (p *People) Judge(ctx context.Context, act storage.Act, lines []ImportLine) (ImportPlan, error) {
	var logins []string
	for _, line := range lines {
		logins = append(logins, line.value(FieldEmail), line.value(FieldUsername))
	}
	taken, err := p.store.FindLogins(ctx, logins)
	if err != nil {
		return ImportPlan{}, err
	}
	var plan ImportPlan
	seen := map[string]bool{}
	for _, line := range lines {
		if email := line.value(FieldEmail); taken[email] {
			plan.Known = append(plan.Known, email)
			continue
		}
		user, err := p.imported(act, line)
		var faults fault.List
		faults.Add(err)
		faults.Add(twice(user, line.value(FieldUsername), seen, taken))
		if faults.Err() == nil {
			plan.People = append(plan.People, user)
		}
		for _, f := range fault.All(faults.Err()) {
			plan.Faults = append(plan.Faults, ImportFault{line.Number, f})
		}
	}
	return plan, nil
}

// imported is who a line would add. One without a name is called by the parts of
// it, or by the address.
func (p *People) imported(act storage.Act, line ImportLine) (storage.User, error) {
	local, _, _ := strings.Cut(line.value(FieldEmail), "@")
	parts := trimmed(line.value("given_name") + " " + line.value("family_name"))
	user := storage.User{ID: p.ambient.PersonID(), CreatedAt: act.At, UpdatedAt: act.At}
	settings := line.Settings
	for _, need := range []Setting{{FieldName, cmp.Or(parts, local)}, {FieldEmail, ""}} {
		if line.value(need.Field) == "" {
			settings = append([]Setting{need}, settings...)
		}
	}
	err := apply(&user, settings)
	return user, err
}

// twice is a Conflict for what another line, or somebody who has an account, has.
func twice(user storage.User, username string, seen, taken map[string]bool) error {
	var faults fault.List
	for _, login := range []Setting{{FieldEmail, user.Email}, {FieldUsername, user.Username}} {
		key := textkey.Fold(login.Value)
		if seen[key] {
			faults.Add(fault.Newf(fault.Conflict, ReasonField, "Another line has %s.", login.Value).At(login.Field))
		}
		seen[key] = key != ""
	}
	if username != "" && taken[username] {
		faults.Add(fault.Newf(fault.Conflict, storage.ReasonUsernameTaken, "Another user has the user name %s.",
			username).At(FieldUsername))
	}
	return faults.Err()
}

func (l ImportLine) value(field string) string {
	for _, s := range l.Settings {
		if s.Field == field {
			return s.Value
		}
	}
	return ""
}

// ReasonImportFaults is the reason of the Conflict of a plan with faults.
const ReasonImportFaults = "import_faults"

// Err is what keeps a plan with faults from being carried out: Conflict, nil without.
func (p ImportPlan) Err() error {
	wrong := map[int]bool{}
	for _, f := range p.Faults {
		wrong[f.Line] = true
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, ReasonImportFaults, "Wrong lines: %d. Nobody was imported.", len(wrong))
}

// CarryOut adds the people of a plan, all or none, and invites each by mail if
// asked to and mails reach people. Conflict for a plan with faults, and when
// somebody took an address or a name meanwhile.
func (p *People) CarryOut(ctx context.Context, act storage.Act, plan ImportPlan, invite bool, by string) error {
	if err := plan.Err(); err != nil {
		return err
	}
	act.Mails = slices.Clip(act.Mails)
	for _, user := range plan.People {
		if invite && p.Delivers() {
			act.Mails = append(act.Mails,
				p.mail(act, user, user.Email, templates.Letter{Kind: templates.LetterInvitation, By: by}))
		}
	}
	return p.store.CreateUsers(ctx, act, plan.People)
}

// KeepImport keeps a file until who sent it has looked through it.
func (p *People) KeepImport(ctx context.Context, act storage.Act, userID string, file []byte) (string, error) {
	kept := storage.Import{ID: p.ambient.UID(), UserID: userID, File: file, At: act.At}
	return kept.ID, p.store.KeepImport(ctx, kept)
}

// FindImport returns a file that the user sent, or NotFound.
func (p *People) FindImport(ctx context.Context, userID, id string, now time.Time) ([]byte, error) {
	kept, err := p.store.FindImport(ctx, userID, id, now)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "import_not_found",
			"This file was imported, or waited for too long. Send it again.").Because(err)
	}
	return kept.File, err
}
