package filing

import (
	"net/http"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

func (d *Desk) reserve(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	return d.reserved(w, r, change, d.rules.Reserve, "reserved", texts.Say("filing.act.reserve"))
}

func (d *Desk) release(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	return d.reserved(w, r, change, d.rules.Release, "released", texts.Say("filing.act.release"))
}

// reserved changes who has reserved a file.
func (d *Desk) reserved(w http.ResponseWriter, r *http.Request, change storage.Change,
	act reserving, key string, submit texts.Text) error {
	t, err := d.item(r)
	if err != nil {
		return err
	}
	if _, err := act(r.Context(), change, *t.file); err != nil {
		return d.Again(w, r, t.anew(r, texts.Own(t.name), submit), err)
	}
	return ground.See(w, r, t.url, key)
}

// askNewest asks once before an older version is the newest again.
func (d *Desk) askNewest(w http.ResponseWriter, r *http.Request) error {
	at, version, err := d.Find.ReachVersion(r)
	if err == nil {
		err = access.MayAddVersion(at.Standing)
	}
	if err == nil {
		err = access.MayCopy(at.Standing)
	}
	if err != nil {
		return err
	}
	t := d.ofItem(at)
	return d.Form(w, r, d.newestPage(r, t, version))
}

func (d *Desk) newestPage(r *http.Request, t thing, version storage.Version) templates.FormPage {
	return templates.FormPage{Back: t.back(),
		Heading: texts.Say("filing.newest-which", "Number", version.Number, "Name", t.name),
		Lead:    texts.Say("filing.newest-lead"),
		Form:    templates.Form{ID: "newest-form", Action: r.URL.EscapedPath(), Submit: texts.Say("filing.newest")}}
}

// newest adds a version with the bytes of an older one.
func (d *Desk) newest(w http.ResponseWriter, r *http.Request, change storage.Change) error {
	at, version, err := d.Find.ReachVersion(r)
	if err != nil {
		return err
	}
	from := storage.VersionRef{ItemID: at.Item.ID, Number: version.Number}
	next := tree.NextVersion{NewVersion: storage.NewVersion{CopyFrom: &from, Name: at.Item.Name}}
	if _, err = d.rules.AddVersion(r.Context(), change, at.Project.ID, at.Item.ID, next); err != nil {
		return d.Again(w, r, d.newestPage(r, d.ofItem(at), version), err)
	}
	return ground.See(w, r, d.ItemURL(at.Project.ID, at.Item.ID), "newest")
}
