package filing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// Fields of an upload.
const (
	fieldSame  = "same"
	fieldFiles = "files"
)

// What becomes of a file whose name something has already.
const (
	sameVersion = "version"
	sameBoth    = "both"
	sameSkip    = "skip"
)

const maxFiles = 1000 // of one form

// askUpload serves the page that takes files into a folder, or a version of a file.
func (d *Desk) askUpload(w http.ResponseWriter, r *http.Request, t thing) error {
	if err := t.mayUpload(); err != nil {
		return err
	}
	return d.uploadPage(w, r, t, http.StatusOK, sameVersion, nil)
}

// mayUpload decides what the rules will, before anybody chooses a file.
func (t thing) mayUpload() error {
	if t.file != nil {
		if err := access.MayAddVersion(t.spot.Standing); err != nil {
			return err
		}
	}
	return access.MayPut(t.spot.Standing)
}

func (d *Desk) uploadPage(w http.ResponseWriter, r *http.Request, t thing, status int, same string,
	came []templates.CameRow) error {
	files := templates.Input{Kind: templates.InputFile, Name: fieldFiles, Label: texts.Say("filing.files"),
		Hint: texts.Say("filing.files-hint"), Required: true, Several: true}
	page := templates.UploadPage{Desk: d.Desk(r), Back: t.back(), Came: came, Problem: len(came) > 0,
		Begin:   t.url + "/uploads",
		Then:    t.url + "?done=uploaded",
		Heading: texts.Say("filing.upload-into", "Name", t.name),
		Form:    templates.Form{ID: "upload-form", Action: t.url + "/upload", Submit: texts.Say("filing.upload")}}
	if t.file != nil {
		page.Heading, page.Then = texts.Say("filing.version-of", "Name", t.name), t.url+"?done=version"
		files.Several, files.Label, files.Hint = false, texts.Say("filing.file"), texts.Say("filing.file-hint")
	} else {
		page.Form.Inputs = append(page.Form.Inputs, sameInput(same))
	}
	page.Form.Inputs = append(page.Form.Inputs, files)
	return d.Web.SendUnder(templates.PolicyCalling, w, status,
		func(out io.Writer) error { return d.Pages.Upload(out, page) })
}

func sameInput(same string) templates.Input {
	return templates.Input{Kind: templates.InputChoice, Name: fieldSame, Label: texts.Say("filing.same.title"),
		Options: []templates.Option{
			{Value: sameVersion, Label: texts.Say("filing.same.version"), Chosen: same != sameBoth && same != sameSkip},
			{Value: sameBoth, Label: texts.Say("filing.same.both"), Chosen: same == sameBoth},
			{Value: sameSkip, Label: texts.Say("filing.same.skip"), Chosen: same == sameSkip},
		}}
}

// upload takes the files of a form, one after the other as they come. What was taken
// stays, whatever becomes of the others.
func (d *Desk) upload(w http.ResponseWriter, r *http.Request, v websession.Visit, t thing) error {
	body, done := objects.Patiently(w, r.Body)
	defer done()
	r.Body = io.NopCloser(body)
	form, err := r.MultipartReader()
	if err != nil {
		return fault.New(fault.UnsupportedMedia, httpio.ReasonInvalidRequest, "Send the body as multipart/form-data.")
	}
	same, key := sameVersion, r.URL.Query().Get(websession.FormToken)
	var came []templates.CameRow
	well, became := true, "uploaded"
	for n := 0; ; n++ {
		part, err := form.NextPart()
		if err == io.EOF { //nolint:errorlint // it is returned as it is
			break
		}
		if err == nil && n > maxFiles {
			_, _ = io.Copy(io.Discard, r.Body) // as below
			others := templates.CameRow{What: texts.Say("filing.too-many", "Most", maxFiles), Wrong: true}
			well, came = false, append(came, others)
			break
		}
		if err != nil {
			return fault.New(fault.Invalid, httpio.ReasonInvalidRequest, "The form ends in the middle of a file.").Because(err)
		}
		if part.FormName() == fieldSame {
			text, _ := io.ReadAll(io.LimitReader(part, 16))
			same = string(text)
		}
		if part.FileName() == "" {
			continue
		}
		f := sent{name: part.FileName(), same: same, form: key, number: n}
		row, skipped, err := d.take(r.Context(), ground.Change(v), t, f, part)
		if skipped {
			became = "skipped"
		}
		if err != nil {
			_, _ = io.Copy(io.Discard, part) // the browser shows no answer before it has sent all
			well = false
		}
		came = append(came, row)
	}
	switch {
	case len(came) == 0:
		return d.uploadPage(w, r, t, http.StatusUnprocessableEntity, same,
			[]templates.CameRow{{What: texts.Say("filing.no-file"), Wrong: true}})
	case !well:
		return d.uploadPage(w, r, t, http.StatusUnprocessableEntity, same, came)
	case t.file != nil:
		return ground.See(w, r, t.url, "version")
	}
	return ground.See(w, r, t.url, became)
}

// Bring keeps a file in a folder as its page does: the next version where one of the name
// is there. What speaks against it is the error.
func (d *Desk) Bring(ctx context.Context, change storage.Change, projectID, folderID, name string,
	body io.Reader) error {
	at, err := d.Find.Folder(ctx, change.Caller, projectID, folderID)
	if err != nil {
		return err
	}
	_, _, err = d.take(ctx, change, thing{spot: at, name: at.Folder.Name}, sent{name: name, same: sameVersion}, body)
	return err
}

// once names what somebody sends by a form, so that it is kept once however often it is
// sent: by what it says, for a browser that goes back sends other things by the same form.
func once(who storage.Caller, form string, says ...string) storage.Once {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{"upload", who.UserID, form}, says...), "\x00")))
	return storage.Once{Key: hex.EncodeToString(sum[:]), Fingerprint: "upload"}
}

// sent is a file that somebody sends.
type sent struct {
	name   string
	same   string
	form   string // empty: nobody can tell that it is sent again
	number int    // in the form
}

// onceOf names a file of a form: another one in its place is another, and so is the first
// after that.
func (d *Desk) onceOf(ctx context.Context, who storage.Caller, f sent, object storage.Object) (storage.Once, error) {
	if f.form == "" {
		return storage.Once{}, nil
	}
	place := f.form + " " + strconv.Itoa(f.number)
	turn, err := d.Gate.Turn(ctx, who.UserID, place, strings.Join([]string{f.name, f.same, string(object.SHA256)}, "\x00"))
	return once(who, place, turn), err
}

// take keeps a file of a form unless it is skipped, and says what became of it.
func (d *Desk) take(ctx context.Context, change storage.Change, t thing, f sent,
	body io.Reader) (row templates.CameRow, skip bool, err error) {
	row.Name = f.name
	target, skip, err := d.judge(ctx, t, f)
	if err == nil && !skip {
		var object storage.Object
		if object, err = d.rules.AddObject(ctx, change, target); err == nil {
			object, err = d.bytes.Bring(ctx, change, object, body)
		}
		if err == nil {
			change.Once, err = d.onceOf(ctx, change.Caller, f, object)
		}
		if err == nil {
			_, skip, err = d.keep(ctx, change, t, f, object)
		}
	}
	switch {
	case err != nil:
		row.What, row.Wrong = d.Told(ctx, err), true
	case skip:
		row.What = texts.Say("filing.came.skipped")
		_, err = io.Copy(io.Discard, body)
	default:
		row.What = texts.Say("filing.came.kept")
	}
	return row, skip, err
}
