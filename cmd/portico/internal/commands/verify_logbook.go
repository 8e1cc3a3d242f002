package commands

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/portico-id/portico/dataapi/objects"
)

// finding is what is wrong, as the command shows and notes it.
type finding struct {
	Bucket   string `json:"bucket,omitempty"`
	Key      string `json:"key,omitempty"`
	Twin     string `json:"twin,omitempty"`
	Document string `json:"document,omitempty"`
	Blob     string `json:"blob"`
	Wrong    string `json:"wrong"`
}

func newFinding(f objects.Finding) finding { return finding(f) }

// String is a line for a person.
func (f finding) String() string {
	switch {
	case f.Document != "":
		return fmt.Sprintf("document %s of the twin %s: %s (%s)", f.Document, f.Twin, f.Wrong, f.Blob)
	case f.Key == "":
		return fmt.Sprintf("%s: %s", f.Blob, f.Wrong)
	}
	return fmt.Sprintf("%s/%s: %s (%s)", f.Bucket, f.Key, f.Wrong, f.Blob)
}

// logbook is the file in which a check notes how far it is and what it found,
// so that it can go on there whatever stops it: one JSON object a line.
type logbook struct {
	file     *os.File
	at       objects.Progress
	findings []finding
	done     bool
}

// entry is a line: a finding, or how far the check has come.
type entry struct {
	Finding *finding          `json:"finding,omitempty"`
	At      *objects.Progress `json:"at,omitempty"`
}

// openLogbook opens the file, empty unless the check before is to go on.
func openLogbook(path string, resume bool) (*logbook, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	b := &logbook{file: file, findings: []finding{}}
	kept := int64(0)
	if resume {
		kept = b.read()
	}
	// What came behind the last mark is found again.
	if err := file.Truncate(kept); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	_, err = file.Seek(kept, 0)
	return b, err
}

// read takes over what was noted up to the last mark, and returns where that
// ends.
func (b *logbook) read() (kept int64) {
	var since []finding
	offset := int64(0)
	for lines := bufio.NewScanner(b.file); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			break // the line was being written when the check was stopped
		}
		offset += int64(len(lines.Bytes())) + 1
		if e.Finding != nil {
			since = append(since, *e.Finding)
		}
		if e.At != nil {
			b.at, kept = *e.At, offset
			b.findings, since = append(b.findings, since...), nil
		}
	}
	return kept
}

func (b *logbook) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = b.file.Write(append(line, '\n'))
	return err
}

func (b *logbook) find(f objects.Finding) error {
	noted := newFinding(f)
	b.findings = append(b.findings, noted)
	return b.write(entry{Finding: &noted})
}

func (b *logbook) mark(at objects.Progress) error { return b.write(entry{At: &at}) }

// remove is for a check that is done.
func (b *logbook) remove() error {
	b.done = true
	return errors.Join(b.file.Close(), os.Remove(b.file.Name()))
}

func (b *logbook) close() error {
	if b.done {
		return nil
	}
	return b.file.Close()
}
