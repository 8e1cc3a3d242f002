package ground

import (
	"time"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates"
	"github.com/portico-id/portico/templates/texts"
)

// offer is something that a page offers to those who may do it.
type offer struct {
	may  func(storage.Standing) error
	path string // behind the page's own
	id   string
	text texts.Text
}

// Offers are what the person may do with a folder, as ways to do it.
func (g *Ground) Offers(at access.Spot) []templates.Button {
	url := g.FolderURL(at.Project.ID, at.Folder.ID)
	if !at.Folder.Visible {
		return offered(at, url, restoring(at.Folder.Hidden))
	}
	looks := []templates.Button{{ID: "search", URL: url + "/search", Text: texts.Say("showing.search")}, history(url)}
	if mayTake(at.Standing) == nil {
		looks = append(looks, templates.Button{ID: "zip", Action: url + "/zip", Text: texts.Say("showing.zip")})
	}
	offers := []offer{{access.MayPut, "/upload", "upload", texts.Say("filing.act.upload")},
		{access.MayAddFolder, "/new", "new-folder", texts.Say("filing.act.folder")}}
	if at.Folder.Kind != storage.FolderFiles && at.Folder.Kind != storage.FolderRoot {
		offers = append(offers, common()...)
	}
	return append(looks, offered(at, url, append(offers,
		offer{mayGive, "/share", "share", texts.Say("filing.act.share")},
		offer{access.MayHide, "/hidden", "hidden-things", texts.Say("filing.act.hidden")}))...)
}

// FileOffers are Offers for a file.
func (g *Ground) FileOffers(at access.ItemSpot, now time.Time) []templates.Button {
	url := g.ItemURL(at.Project.ID, at.Item.ID)
	if at.Item.Hidden || !at.Folder.Visible {
		return offered(at.Spot, url, restoring(at.Item.Hidden))
	}
	looks := g.looks(at, url)
	if at.Project.Archived {
		return looks
	}
	buttons := offered(at.Spot, url, append([]offer{
		{access.MayAddVersion, "/upload", "upload", texts.Say("filing.act.version")},
		{access.MayCopy, "/copy", "copy", texts.Say("filing.act.copy")},
	}, common()...))
	buttons = append(looks, buttons...)
	if at.Tip.MimeType == "application/pdf" && access.MayCopy(at.Standing) == nil {
		buttons = append(buttons, templates.Button{ID: "twin", URL: url + "/twin", Text: texts.Say("twins.add")})
	}
	holder := at.Item.ReservedFor(now)
	switch {
	case holder == "" && access.MayReserve(at.Standing) == nil:
		buttons = append(buttons, templates.Button{ID: "reserve", Action: url + "/reserve",
			Text: texts.Say("filing.act.reserve")})
	case holder != "" && holder == at.Standing.Caller.UserID:
		buttons = append(buttons, templates.Button{ID: "release", Action: url + "/release",
			Text: texts.Say("filing.act.release")})
	case holder != "" && access.MayBreak(at.Standing):
		buttons = append(buttons, templates.Button{ID: "release", Action: url + "/release",
			Text: texts.Say("filing.act.break")})
	}
	return buttons
}

// looks are the ways to look at the newest version of a file.
func (g *Ground) looks(at access.ItemSpot, url string) []templates.Button {
	newest := g.VersionURL(at.Project.ID, storage.VersionRef{ItemID: at.Item.ID, Number: at.Tip.Number})
	buttons := []templates.Button{{ID: "open", URL: newest, Text: texts.Say("showing.open")}}
	if at.Tip.ObjectKey != "" && mayTake(at.Standing) == nil {
		buttons = append(buttons, templates.Button{ID: "download", URL: newest + "/bytes",
			Text: texts.Say("showing.download")})
	}
	if at.Tip.Number > 1 {
		buttons = append(buttons, templates.Button{ID: "compare", URL: url + "/compare", Text: texts.Say("showing.compare")})
	}
	return append(buttons, history(url))
}

// ProjectOffers are Offers for a project: who administers it, or its hub, looks after it.
func (g *Ground) ProjectOffers(place storage.Place) []templates.Button {
	here := Project + place.Project.ID
	offers := []templates.Button{history(here),
		{ID: "transmittals", URL: here + "/transmittals", Text: texts.Say("sending.title")}}
	if place.Standing.HubAdmin || place.Standing.ProjectAdmin {
		offers = append(offers, LooksAfter(place.Project)...)
	}
	return offers
}

// LooksAfter leads to what is done by those who look after a project.
func LooksAfter(p storage.Project) []templates.Button {
	here, archive := Project+p.ID, texts.Say("filing.hub.archive")
	if p.Archived {
		archive = texts.Say("filing.hub.reopen")
	}
	return []templates.Button{
		{ID: "people-" + p.ID, URL: here + "/people", Text: texts.Say("filing.hub.people")},
		{ID: "rename-" + p.ID, URL: here + "/name", Text: texts.Say("filing.act.rename")},
		{ID: "reservations-" + p.ID, URL: here + "/reservations", Text: texts.Say("filing.hub.reservations")},
		{ID: "naming-" + p.ID, URL: here + "/naming", Text: texts.Say("filing.hub.naming")},
		{ID: "archive-" + p.ID, URL: here + "/archive", Text: archive},
	}
}

// history leads to what has happened to the thing with the page.
func history(url string) templates.Button {
	return templates.Button{ID: "activity", URL: url + "/activity", Text: texts.Say("showing.activity")}
}

func mayTake(s storage.Standing) error {
	return access.Need(s, storage.LevelDownload, "read these bytes")
}

// VersionOffers are Offers for a version of a file.
func (g *Ground) VersionOffers(at access.ItemSpot, version storage.Version) []templates.Button {
	if at.Item.Hidden || !at.Folder.Visible {
		return nil
	}
	url := g.VersionURL(at.Project.ID, storage.VersionRef{ItemID: at.Item.ID, Number: version.Number})
	offers := []offer{{access.MayHide, "/state", "state", texts.Say("filing.act.state", "Number", version.Number)}}
	if version.Number != at.Tip.Number && access.MayCopy(at.Standing) == nil {
		offers = append(offers, offer{access.MayAddVersion, "/newest", "newest",
			texts.Say("filing.act.newest", "Number", version.Number)})
	}
	return offered(at.Spot, url, offers)
}

func mayGive(s storage.Standing) error {
	return access.Need(s, storage.LevelControl, "give rights in this folder")
}

// HubOffers are Offers for a hub: who administers it looks after it.
func (g *Ground) HubOffers(hub storage.Hub, s storage.Standing) []templates.Button {
	offers := []templates.Button{{ID: "twins", URL: Hubs + hub.ID + "/twins",
		Text: texts.Say("twins.title", "Name", hub.Name)}}
	if s.HubAdmin {
		offers = append(offers, templates.Button{ID: "hub-admin", URL: Hubs + hub.ID + "/admin",
			Text: texts.Say("filing.hub.title")})
	}
	return offers
}

// common are the offers of folders and files alike.
func common() []offer {
	return []offer{
		{access.MayRename, "/name", "rename", texts.Say("filing.act.rename")},
		{access.MayMove, "/move", "move", texts.Say("filing.act.move")},
		{access.MayHide, "/hide", "hide", texts.Say("filing.hide")},
	}
}

// restoring is the offer of what is hidden itself; what lies in something hidden
// comes back with that.
func restoring(itself bool) []offer {
	if !itself {
		return nil
	}
	return []offer{{access.MayHide, "/restore", "restore", texts.Say("filing.restore")}}
}

// offered are those of the offers that the person may take up: none in a project that
// is archived.
func offered(at access.Spot, url string, offers []offer) []templates.Button {
	var buttons []templates.Button
	for _, o := range offers {
		if at.Project.Archived || o.may(at.Standing) != nil {
			continue
		}
		b := templates.Button{ID: o.id, URL: url + o.path, Text: o.text}
		if o.path == "/restore" {
			b.URL, b.Action = "", url+o.path
		}
		buttons = append(buttons, b)
	}
	return buttons
}
