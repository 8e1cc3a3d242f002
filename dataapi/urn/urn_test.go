package urn_test

import (
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/urn"
	"github.com/portico-id/portico/storage"
)

const (
	space = urn.Space("portico")
	uid   = "AAAAAAAAAAAAAAAAAAAAAA"
)

func TestURNsAreReadAsTheyAreWritten(t *testing.T) {
	if got, ok := space.FolderUID(space.Folder(uid)); !ok || got != uid {
		t.Errorf("folder: %q, %v", got, ok)
	}
	if got, ok := space.ItemUID(space.Item(uid)); !ok || got != uid {
		t.Errorf("item: %q, %v", got, ok)
	}
	if got, ok := space.VersionRef(space.Version(uid, 12)); !ok || got != (storage.VersionRef{ItemID: uid, Number: 12}) {
		t.Errorf("version: %+v, %v", got, ok)
	}
	if got := space.Version(uid, 1); got != "urn:portico:fs.file:vf."+uid+"?version=1" {
		t.Errorf("version: %s", got)
	}
}

func TestAThingHasOneSpelling(t *testing.T) {
	for _, name := range []string{"", uid, space.Item(uid), "urn:other:fs.folder:co." + uid, space.Folder("short"),
		space.Folder(uid) + "A"} {
		if _, ok := space.FolderUID(name); ok {
			t.Errorf("%q is a folder", name)
		}
	}
	for _, ending := range []string{"", "?version=0", "?version=01", "?version=+1", "?version=-1",
		"?version=9999999999", "%3Fversion=1"} {
		if _, ok := space.VersionRef("urn:portico:fs.file:vf." + uid + ending); ok {
			t.Errorf("%q is a version", ending)
		}
	}
}

func TestHubsAndProjectsAreNamedByAUUID(t *testing.T) {
	const id = "b.00000000-0000-4000-8000-00000000000a"
	for name, want := range map[string]bool{
		id: true, strings.ToUpper(id): false, "b." + strings.ToUpper(id[2:]): true, id[2:]: false, id + "0": false,
		"b.00000000-0000-4000-8000-00000000000g": false, "b.000000000000040008000000000000000000": false,
	} {
		if urn.IsAccountID(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
