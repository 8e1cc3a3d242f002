package mail

import (
	"context"
	"errors"
	"net/mail"
	"os"
	"path/filepath"

	gomail "github.com/wneessen/go-mail"
)

// files puts mails into a directory, one each, as mail programs open them.
type files struct {
	dir  string
	from *mail.Address
}

// NewFiles returns a Carrier for servers that have no mail server: it writes
// mails into the directory. They hold links that let people in, so nobody else
// of the machine can read them.
func NewFiles(dir, from string) (Carrier, error) {
	sender, err := mail.ParseAddress(from)
	return files{dir, sender}, err
}

// Where implements Carrier.
func (f files) Where() string { return f.dir }

// Carry implements Carrier. A mail that comes twice is one file.
func (f files) Carry(_ context.Context, m Message) error {
	msg, failure := newMessage(m, f.from)
	if failure != nil {
		return failure
	}
	if err := f.write(m, msg); err != nil {
		return &Failure{Unreached: true, Detail: "The file of the mail could not be written.", Cause: err}
	}
	return nil
}

func (f files) write(m Message, msg *gomail.Msg) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(f.dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = msg.WriteTo(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), filepath.Join(f.dir, m.At.UTC().Format("20060102-150405")+"-"+m.ID+".eml"))
}
