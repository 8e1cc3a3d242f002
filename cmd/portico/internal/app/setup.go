package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mattn/go-isatty"

	"github.com/portico-id/portico/storage"
)

// setUpFile is where the set-up link waits when nobody sits at a terminal.
const setUpFile = "setup-url"

// offerSetUp makes the link by which the first administrator is made, while
// there is none, and hands it to whoever started the server: on the terminal,
// or in a file of the data directory that only they can read. It never goes
// through the log. Each start voids the link before it.
func (a *App) offerSetUp(ctx context.Context, out io.Writer) error {
	path := filepath.Join(a.config.DataDir, setUpFile)
	act := storage.Act{At: a.parts.Ambient.Now(), Actor: storage.Actor{Kind: storage.ActorSystem}}
	link, needed, err := a.parts.People().SetUpLink(ctx, act)
	if err != nil {
		return err
	}
	if !needed {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	url := a.URL() + "/setup?link=" + link.Token
	if file, ok := out.(*os.File); ok && isatty.IsTerminal(file.Fd()) {
		_, err := fmt.Fprintf(out, "There is no administrator yet. Become the first one, within an hour:\n\n  %s\n\n", url)
		return err
	}
	if err := writePrivate(path, url+"\n"); err != nil {
		return err
	}
	a.log.InfoContext(ctx, "there is no administrator yet: the link to become the first one is in a file", "file", path)
	return nil
}

// writePrivate replaces the file by one that nobody else could ever read.
func writePrivate(path, text string) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
