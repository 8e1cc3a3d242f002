package sending

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// fates are what has become of versions; of what is there nothing is said.
var fates = map[transmittal.Fate]texts.Text{
	transmittal.Hidden: texts.Say("sending.now.hidden"), transmittal.Deleted: texts.Say("sending.now.deleted"),
	transmittal.Closed: texts.Say("sending.now.closed"),
}

const sumShown = 12 // digits, as on the pages of files

// one shows a transmittal, what is in it, and who has fetched how much.
func (d *Desk) one(w http.ResponseWriter, r *http.Request) error {
	a, err := d.asked(r, true)
	if err != nil {
		return err
	}
	seen, err := d.rules.Find(r.Context(), a.who, a.project, a.number)
	if err != nil {
		return err
	}
	ids := []string{seen.SentBy}
	for _, p := range seen.To {
		ids = append(ids, p.UserID)
	}
	names, err := d.Names(r.Context(), ids...)
	if err != nil {
		return err
	}
	here := transmittal.Page(a.project, a.number)
	page := templates.TransmittalPage{Desk: d.Desk(r), Trail: d.trail(seen, false), Number: seen.Number, Title: seen.Title,
		Message: seen.Message, By: sender(names, seen.SentBy), At: seen.SentAt, FetchesURL: here + "/fetches"}
	some, err := part(r, seen.Lines, &page.Pager)
	if err != nil {
		return err
	}
	for _, line := range some {
		page.Files = append(page.Files, d.file(here, a.project, line))
	}
	if slices.ContainsFunc(seen.Lines, func(line transmittal.Line) bool { return line.Takes }) {
		page.Offers = []templates.Button{{ID: "zip", Action: here + "/zip", Text: texts.Say("showing.zip")}}
	}
	for _, p := range seen.To {
		page.People = append(page.People, templates.SentPerson{Name: names[p.UserID], Group: p.Group, Fetched: p.Fetched,
			Of: len(seen.Lines), At: p.LastAt})
	}
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Transmittal(out, page) })
}

// part is the part of the files that the address asks for, a hundred at a time.
func part(r *http.Request, lines []transmittal.Line, pager *templates.Pager) ([]transmittal.Line, error) {
	query, err := httpio.ReadQuery(r)
	if err != nil || len(lines) == 0 {
		return lines, err
	}
	number := 0
	if text := query.Get("page"); text != "" {
		if number, err = strconv.Atoi(text); err != nil || number < 0 || number > (len(lines)-1)/shownRows {
			return nil, ground.Astray()
		}
	}
	if number > 0 {
		pager.PreviousURL = r.URL.Path + "?page=" + strconv.Itoa(number-1)
	}
	end := (number + 1) * shownRows
	if end < len(lines) {
		pager.NextURL = r.URL.Path + "?page=" + strconv.Itoa(number+1)
	}
	return lines[number*shownRows : min(end, len(lines))], nil
}

// file is a version with the ways to it, where its reader may go.
func (d *Desk) file(here, projectID string, line transmittal.Line) templates.SentFile {
	word, _ := ground.StateWord(line.State)
	f := templates.SentFile{Name: line.Name, Number: line.VersionRef.Number, Size: templates.Size(line.Size),
		Stage: templates.Stage{State: word, Suitability: line.Suitability, Revision: line.Revision},
		Sum:   line.SHA256, Now: fates[line.Now]}
	if f.Sum != "" {
		f.SumStart = f.Sum[:sumShown]
	}
	if line.Now == transmittal.There {
		f.URL = d.VersionURL(projectID, line.VersionRef)
	}
	if line.Takes && line.SHA256 != "" {
		f.FetchURL = here + "/versions/" + url.PathEscape(d.URN.Version(line.ItemID, line.VersionRef.Number)) + "/bytes"
	}
	return f
}
