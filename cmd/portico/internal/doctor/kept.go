package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/system"
	"github.com/portico-id/portico/storage/blobstore"
)

const maxDrift = 2 * time.Second

// clock compares this machine's with that of the database, which all servers share.
func clock(ctx context.Context, p Patient) []Finding {
	before := p.Ambient.Now()
	theirs, err := p.Store.Clock(ctx, before)
	if err != nil {
		return ill(Why(err), "Mend the database first.")
	}
	return drift("the database", theirs.Sub(before), p.Ambient.Now().Sub(before))
}

func drift(whose string, ahead, asking time.Duration) []Finding {
	if ahead > -maxDrift && ahead-asking < maxDrift {
		return nil
	}
	return ill(fmt.Sprintf("The clock of this machine and that of %s are %v apart.", whose,
		ahead.Abs().Round(time.Second)),
		"Let NTP keep both: timedatectl set-ntp true. Tokens and codes end by the clock.")
}

// maxKeyAge is when a key should have been relieved.
const maxKeyAge = 100 * 24 * time.Hour

// keys looks whether the secret opens the keys that sign. It makes none.
func keys(ctx context.Context, p Patient) []Finding {
	kept, err := p.Store.ListSigningKeys(ctx)
	if err != nil {
		return ill(Why(err), "Mend the database first.")
	}
	if len(kept) == 0 {
		return doubtful("There is no key that signs tokens yet.", "Start the server: it makes the first ones.")
	}
	set, err := p.Keys(ctx)
	if err != nil {
		return ill("The keys that sign tokens can't be opened: "+Why(err),
			"Give the server the PORTICO_SECRET that it had; after a change the former one belongs into PORTICO_SECRET_PREVIOUS.")
	}
	infos, err := set.List(ctx)
	if err != nil {
		return ill(Why(err), "Mend the database first.")
	}
	for _, k := range infos {
		if age := p.Ambient.Now().Sub(k.ActiveFrom); k.State == signing.Active && age > maxKeyAge {
			return doubtful(fmt.Sprintf("The key of %s has signed for %d days.", k.Algorithm, age/(24*time.Hour)),
				"Keys rotate by themselves while a server runs: its log says why not. \"portico key rotate\" does it by hand.")
		}
	}
	return nil
}

func administrators(ctx context.Context, p Patient) []Finding {
	counts, err := p.Store.CountRecords(ctx, p.Ambient.Now())
	if err != nil {
		return ill(Why(err), "Mend the database first.")
	}
	if counts.Administrators == 0 {
		return doubtful("There is no administrator.",
			"Open the link that the server has written at its start, or run \"portico user create --admin\".")
	}
	return nil
}

// blobs puts an object where bytes are kept, reads it and takes it away.
func blobs(ctx context.Context, p Patient) []Finding {
	mend := "Let the server's user write there, or correct PORTICO_DATA_DIR."
	if p.Config.S3.Used() {
		mend = "Correct PORTICO_S3_ENDPOINT, PORTICO_S3_BUCKET, PORTICO_S3_ACCESS_KEY and PORTICO_S3_SECRET_KEY; the key must be allowed to read, write and delete."
	}
	if _, err := os.Stat(p.Bytes); errors.Is(err, fs.ErrNotExist) && !p.Config.S3.Used() {
		return doubtful("The folder "+p.Bytes+", in which bytes of files lie, is not there.",
			"Start the server: it makes the folder. If it has, correct PORTICO_DATA_DIR.")
	}
	if Foreign(p.Bytes) && !p.Config.S3.Used() {
		return []Finding{{State: Unseen, Says: "Root writes anywhere, and what it makes there is in the server's way: " +
			"look as the user who runs the server."}}
	}
	store, err := p.Blobs()
	if err == nil {
		err = tryBytes(ctx, store, p.Ambient.UID())
	}
	if err != nil {
		return ill("Bytes of files can't be kept: "+Why(err), mend)
	}
	return nil
}

func tryBytes(ctx context.Context, store blobstore.Store, key string) error {
	const text = "portico doctor"
	upload, err := store.Begin(ctx, key)
	if err != nil {
		return err
	}
	part, err := store.PutPart(ctx, key, upload, 1, strings.NewReader(text), int64(len(text)))
	if err != nil {
		return err
	}
	if err := store.Complete(ctx, key, upload, []blobstore.Part{part}); err != nil {
		return err
	}
	return errors.Join(readBack(ctx, store, key, text), takeAway(ctx, store, key))
}

func readBack(ctx context.Context, store blobstore.Store, key, text string) error {
	body, err := store.Open(ctx, key, 0, int64(len(text)))
	if err != nil {
		return err
	}
	got, err := io.ReadAll(body)
	_ = body.Close()
	if err == nil && string(got) != text {
		err = fmt.Errorf("%q came back as %q", text, got)
	}
	return err
}

// takeAway has its own time: what could be put must go again, however long reading took.
func takeAway(ctx context.Context, store blobstore.Store, key string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return store.Delete(ctx, key)
}

const maxLate = time.Hour

// backlog looks whether some server comes to what waits.
func backlog(ctx context.Context, p Patient) []Finding {
	found, err := system.FindBacklog(ctx, p.Store, p.Ambient.Now(), p.Config.KeepGrants())
	if err != nil {
		return ill(Why(err), "Mend the database first.")
	}
	if found.Late > maxLate {
		return doubtful(fmt.Sprintf("What ended %v ago has not been removed.", found.Late.Round(time.Minute)),
			"Start a server on this database; its log says what the clean-up fails at.")
	}
	return nil
}
