package showing

import (
	"github.com/portico-id/portico/dataapi/feed"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/templates/texts"
)

// did says what has happened. It knows every kind that the feed tells of.
func did(c feed.Change) texts.Text {
	if text, known := didTo(c); known {
		return text
	}
	return texts.Say("showing.did.left") // from a folder that the person sees
}

func didTo(c feed.Change) (texts.Text, bool) {
	text, known := map[string]texts.Text{
		storage.EventFolderCreated:    texts.Say("showing.did.folder-created"),
		storage.EventFolderRenamed:    texts.Say("showing.did.folder-renamed"),
		storage.EventFolderMoved:      texts.Say("showing.did.folder-moved"),
		storage.EventFolderHidden:     texts.Say("showing.did.folder-hidden"),
		storage.EventFolderRestored:   texts.Say("showing.did.folder-restored"),
		storage.EventFolderUpdated:    texts.Say("showing.did.folder-updated"),
		storage.EventFolderPurged:     texts.Say("showing.did.folder-purged"),
		storage.EventItemCreated:      texts.Say("showing.did.item-created"),
		storage.EventItemRenamed:      texts.Say("showing.did.item-renamed"),
		storage.EventItemMoved:        texts.Say("showing.did.item-moved"),
		storage.EventItemHidden:       texts.Say("showing.did.item-hidden"),
		storage.EventItemRestored:     texts.Say("showing.did.item-restored"),
		storage.EventItemUpdated:      texts.Say("showing.did.item-updated"),
		storage.EventItemReserved:     texts.Say("showing.did.item-reserved"),
		storage.EventItemReleased:     texts.Say("showing.did.item-released"),
		storage.EventItemPurged:       texts.Say("showing.did.item-purged"),
		storage.EventVersionAdded:     texts.Say("showing.did.version-added", "Number", c.Number()),
		storage.EventVersionNamed:     texts.Say("showing.did.version-named", "Number", c.Number()),
		storage.EventVersionState:     texts.Say("showing.did.version-state", "Number", c.Number()),
		storage.EventRefAdded:         texts.Say("showing.did.ref-added"),
		storage.EventRefRemoved:       texts.Say("showing.did.ref-removed"),
		storage.EventLinkAdded:        texts.Say("showing.did.link-added"),
		storage.EventLinkRemoved:      texts.Say("showing.did.link-removed"),
		storage.EventProjectCreated:   texts.Say("showing.did.project-created"),
		storage.EventProjectUpdated:   texts.Say("showing.did.project-updated"),
		storage.EventProjectActivated: texts.Say("showing.did.project-activated"),
		storage.EventProjectArchived:  texts.Say("showing.did.project-archived"),
		storage.EventProjectReopened:  texts.Say("showing.did.project-reopened"),
		storage.EventProjectLoaded:    texts.Say("showing.did.project-loaded"),
		storage.EventTransmittalSent:  texts.Say("showing.did.transmittal-sent", "Number", c.Subject),
	}[c.Kind]
	return text, known
}
