package transmittal

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/shape"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/textkey"
	"github.com/portico-id/portico/storage"
)

// Fields of what is to be sent, as the sources of faults.
const (
	FieldTitle    = "title"
	FieldMessage  = "message"
	FieldVersions = "versions"
	FieldTo       = "to"
)

// Reasons of refusals.
const (
	reasonInvalid = "invalid_field"
	reasonTooMany = "too_many"
	reasonAbsent  = "recipient_absent"
	reasonBlind   = "recipient_cannot_view"
)

// Draft is what is to be sent: To are people, by their ids or addresses, and groups
// of the hub, by their ids or names.
type Draft struct {
	Title, Message string
	Versions       []storage.VersionRef
	To             []string
}

// maxTries is how often rights are looked at anew, when they change before it is sent.
const maxTries = 3

// Send sends versions of files to people of the project who can see them all. It
// takes the level edit where each of them lies. A group stands for those who are in
// it now. Invalid with the field; Forbidden; NotFound; Locked.
func (r *Rules) Send(ctx context.Context, change storage.Change, projectID string,
	draft Draft) (storage.Transmittal, error) {
	for try := 1; ; try++ {
		sent, err := r.send(ctx, change, projectID, draft)
		if try == maxTries || !fault.HasReason(err, storage.ReasonSightChanged) {
			return sent, err
		}
	}
}

// send is Send for rights as they are: the store refuses when they are others by then,
// and whoever looks again learns whose.
func (r *Rules) send(ctx context.Context, change storage.Change, projectID string,
	draft Draft) (storage.Transmittal, error) {
	place, err := r.project(ctx, change.Caller, projectID)
	if err == nil {
		err = draft.check()
	}
	if err != nil {
		return storage.Transmittal{}, err
	}
	draft.Versions = apart(draft.Versions)
	files, err := r.sendable(ctx, change.Caller, projectID, draft.Versions)
	if err != nil {
		return storage.Transmittal{}, err
	}
	named, err := r.people(ctx, place, draft.To)
	if err == nil {
		err = r.allSee(ctx, place, named, files)
	}
	if err != nil {
		return storage.Transmittal{}, err
	}
	to := named.to()
	letters, err := r.letters(ctx, change, place, draft.Title, to)
	if err != nil {
		return storage.Transmittal{}, err
	}
	sent, err := r.with.Store.SendTransmittal(ctx, change, projectID, storage.NewTransmittal{Title: draft.Title,
		Message: draft.Message, Versions: draft.Versions, To: to, Groups: named.groups}, letters)
	return sent, access.OrRemoved(err, "version")
}

// check trims the draft and refuses one that says nothing, or too much: all of it at once.
func (d *Draft) check() error {
	var faults fault.List
	d.Title, d.Message = strings.TrimSpace(d.Title), strings.TrimSpace(strings.ReplaceAll(d.Message, "\r\n", "\n"))
	control := func(r rune) bool { return unicode.IsControl(r) }
	if textkey.Blank(d.Title) || utf8.RuneCountInString(d.Title) > storage.MaxTransmittalTitle ||
		!utf8.ValidString(d.Title) || strings.ContainsFunc(d.Title, control) {
		faults.Add(fault.Newf(fault.Invalid, reasonInvalid, "Give it a title of one line, with at most %d characters.",
			storage.MaxTransmittalTitle).At(FieldTitle))
	}
	if len(d.Message) > storage.MaxTransmittalMessage || !utf8.ValidString(d.Message) ||
		strings.ContainsFunc(d.Message, func(r rune) bool { return control(r) && r != '\n' && r != '\t' }) {
		faults.Add(fault.Newf(fault.Invalid, reasonInvalid, "The message must be text of at most %d bytes.",
			storage.MaxTransmittalMessage).At(FieldMessage))
	}
	switch n := len(d.Versions); {
	case n == 0:
		faults.Add(fault.New(fault.Invalid, reasonInvalid, "Choose at least one file.").At(FieldVersions))
	case n > storage.MaxSentVersions:
		faults.Add(fault.Newf(fault.Invalid, reasonTooMany, "At most %d files can be sent at once.",
			storage.MaxSentVersions).At(FieldVersions))
	}
	d.To = slices.DeleteFunc(slices.Clone(d.To), textkey.Blank)
	switch n := len(d.To); {
	case n == 0:
		faults.Add(fault.New(fault.Invalid, reasonInvalid, "Say to whom it is to be sent.").At(FieldTo))
	case n > storage.MaxSentTo:
		faults.Add(tooMany())
	}
	return faults.Err()
}

func tooMany() error {
	return fault.Newf(fault.Invalid, reasonTooMany, "It can be sent to at most %d people.", storage.MaxSentTo).At(FieldTo)
}

// apart leaves out what is named again.
func apart(all []storage.VersionRef) (once []storage.VersionRef) {
	seen := map[storage.VersionRef]bool{}
	for _, one := range all {
		if !seen[one] {
			once = append(once, one)
		}
		seen[one] = true
	}
	return once
}

// sendable returns the folders of the versions, with a file in each, when the caller
// may send all of them.
func (r *Rules) sendable(ctx context.Context, who storage.Caller, projectID string,
	refs []storage.VersionRef) ([]storage.Found, error) {
	place, found, err := r.look(ctx, who, projectID, refs)
	if err != nil {
		return nil, err
	}
	var folders []storage.Found
	known := map[string]bool{}
	for _, f := range found {
		err := access.MayReadFound(place, f, shape.TypeVersions)
		if err == nil && (f.Item.Item.Hidden || !f.Folder.Visible) {
			err = fault.Absent("version")
		}
		if err == nil {
			err = access.MaySend(access.At(place, f).Standing)
		}
		if err != nil {
			return nil, fault.From(err).At(FieldVersions)
		}
		if !known[f.Folder.ID] {
			folders = append(folders, f)
		}
		known[f.Folder.ID] = true
	}
	return folders, nil
}
