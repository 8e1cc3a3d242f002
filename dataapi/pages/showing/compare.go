package showing

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

const (
	// textCompared is how large each of two texts may be that are compared by line,
	// and linesCompared how many lines of that a page shows.
	textCompared  = 1 << 20
	linesCompared = 1000
)

func compareURL(item string, older, newer int) string {
	return item + "/compare?" + url.Values{"older": {strconv.Itoa(older)}, "newer": {strconv.Itoa(newer)}}.Encode()
}

// compare shows two versions of a file: what is known of each, and of texts and
// pictures what they hold.
func (d *Desk) compare(w http.ResponseWriter, r *http.Request) error {
	at, err := d.Find.ReachItem(r)
	if err != nil {
		return err
	}
	older, newer, err := d.pair(r, at)
	if err != nil {
		return err
	}
	page := templates.ComparePage{Desk: d.Desk(r), Name: at.Item.Name, Action: r.URL.Path,
		Older: older.version.Number, Newer: newer.version.Number, Newest: at.Tip.Number}
	names, err := d.Names(r.Context(), older.version.CreatedBy, newer.version.CreatedBy)
	if err != nil {
		return err
	}
	page.Sides = [2]templates.Side{d.side(older, names), d.side(newer, names)}
	if err := d.contents(r.Context(), older, newer, &page); err != nil {
		return err
	}
	if page.Trail, err = d.Trail(r.Context(), at.Spot); err != nil {
		return err
	}
	page.Trail = append(page.Trail, ground.Step(d.ItemURL(at.Project.ID, at.Item.ID), at.Item.Name))
	return d.Send(w, http.StatusOK, func(out io.Writer) error { return d.Pages.Compare(out, page) })
}

// pair finds the two versions; without numbers they are the newest and the one before.
func (d *Desk) pair(r *http.Request, at access.ItemSpot) (older, newer seen, err error) {
	query, err := httpio.ReadQuery(r)
	if err != nil {
		return older, newer, err
	}
	for _, one := range []struct {
		into  *seen
		text  string
		usual int
	}{{&older, query.Get("older"), max(1, at.Tip.Number-1)}, {&newer, query.Get("newer"), at.Tip.Number}} {
		number := one.usual
		if one.text != "" {
			if number, err = strconv.Atoi(one.text); err != nil {
				return older, newer, fault.New(fault.NotFound, "version_not_found", "There is no such version.")
			}
		}
		spot, version, err := d.Find.Version(r.Context(), at.Standing.Caller, at.Project.ID,
			storage.VersionRef{ItemID: at.Item.ID, Number: number})
		if err != nil {
			return older, newer, err
		}
		if *one.into, err = d.see(r.Context(), spot, version); err != nil {
			return older, newer, err
		}
	}
	return older, newer, nil
}

func (d *Desk) side(s seen, names map[string]string) templates.Side {
	return templates.Side{URL: s.url, Number: s.version.Number, Name: s.version.Name, At: s.version.CreatedAt,
		By: names[s.version.CreatedBy], Facts: d.facts(s)}
}

// contents puts in what the two hold, as far as the person may read both.
func (d *Desk) contents(ctx context.Context, older, newer seen, page *templates.ComparePage) error {
	for _, s := range []seen{older, newer} {
		if s.object.Key == "" {
			page.Why = texts.Say("showing.compare-bare")
			return nil
		}
		err := d.bytes.MayLook(ctx, s.who(), s.object)
		if why, refused := refusal(err); refused {
			page.Why = why
			return nil
		}
		if err != nil {
			return err
		}
	}
	kinds := [2]kind{kindOf(older.object), kindOf(newer.object)}
	switch {
	case bytes.Equal(older.object.SHA256, newer.object.SHA256):
		page.Why = texts.Say("showing.compare-same")
	case kinds == [2]kind{kindPicture, kindPicture}:
		page.Sides[0].Picture, page.Sides[1].Picture = older.url+"/picture", newer.url+"/picture"
	case kinds != [2]kind{kindText, kindText}:
		page.Why = texts.Say("showing.compare-facts")
	case max(older.object.Size, newer.object.Size) > textCompared:
		page.Why = texts.Say("showing.compare-large")
	default:
		return d.lines(ctx, older, newer, page)
	}
	return nil
}

func (d *Desk) lines(ctx context.Context, older, newer seen, page *templates.ComparePage) error {
	var of [2]string
	for i, s := range []seen{older, newer} {
		head, err := d.bytes.Beginning(ctx, s.who(), s.object, textCompared)
		if err != nil {
			return err
		}
		of[i] = readable(head)
	}
	page.Lines, page.Cut = changed(of[0], of[1])
	return nil
}

// changed are the lines in which two texts differ, each with some around it, and
// whether there are more of them.
func changed(older, newer string) (lines []templates.Line, cut bool) {
	begun := false
	said := string(diff.Diff("a", []byte(older), "b", []byte(newer)))
	for line := range strings.Lines(said) {
		line = strings.TrimRight(line, "\r\n")
		if len(lines) == linesCompared {
			return lines, true
		}
		switch {
		case strings.HasPrefix(line, "@@"):
			if begun {
				lines = append(lines, templates.Line{Gap: true})
			}
			begun = true
		case !begun, line == "", line[0] == '\\': // the head, and what ends without a line's end
		default:
			lines = append(lines, templates.Line{Text: line[1:], Added: line[0] == '+', Gone: line[0] == '-'})
		}
	}
	return lines, false
}
