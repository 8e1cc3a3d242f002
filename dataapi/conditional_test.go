package dataapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
)

// settled is a scene whose last change lies some seconds back.
func settled(t *testing.T, w *world) *scene {
	t.Helper()
	s := newScene(w)
	s.Wait(5 * time.Second)
	return s
}

func (s *scene) rename(uid, name string) {
	s.Helper()
	_, err := s.Store.UpdateFolder(s.Context(), s.by(s.editor), s.tower.ID, uid, storage.FolderPatch{Name: &name})
	s.Must(err)
}

// Rule: DATA-20
func TestAFolderThatHasNotChangedIs304(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := settled(t, w)
		got := s.ok(as(s.viewer), s.folderURL(s.outer))
		modified, tag := got.Header.Get("Last-Modified"), got.Header.Get("ETag")
		date, err := http.ParseTime(modified)
		s.Must(err)
		rollup, _ := s.folderRecord(s.outer)
		if date.Before(rollup.RollupAt) || date.Sub(rollup.RollupAt) >= time.Second {
			t.Errorf("Last-Modified is %v, the newest change %v: not rounded up", date, rollup.RollupAt)
		}
		for name, header := range map[string][]string{
			"HTTP-date":                  {"If-Modified-Since", modified},
			"a later HTTP-date":          {"If-Modified-Since", date.Add(time.Hour).Format(http.TimeFormat)},
			"ISO 8601, as in the answer": {"If-Modified-Since", seven(rollup.RollupAt)},
			"ISO 8601 with an offset":    {"If-Modified-Since", date.In(time.FixedZone("", 7200)).Format(time.RFC3339)},
			"the tag":                    {"If-None-Match", tag},
			"the tag, weakly":            {"If-None-Match", "W/" + tag},
			"the tag among others":       {"If-None-Match", `"x", ` + tag},
			"any tag":                    {"If-None-Match", "*"},
			"the tag, and an older date": {"If-None-Match", tag, "If-Modified-Since",
				date.Add(-time.Hour).Format(http.TimeFormat)},
		} {
			again := s.get(as(s.viewer), s.folderURL(s.outer), header...)
			if again.Status != http.StatusNotModified || len(again.Body) > 0 || again.Header.Get("Last-Modified") != modified ||
				again.Header.Get("ETag") != tag {
				t.Errorf("%s: %d %v %s", name, again.Status, again.Header, again.Body)
			}
		}
		for name, header := range map[string][]string{
			"an older HTTP-date":           {"If-Modified-Since", date.Add(-time.Second).Format(http.TimeFormat)},
			"an older ISO 8601":            {"If-Modified-Since", seven(rollup.RollupAt.Add(-time.Microsecond))},
			"nonsense":                     {"If-Modified-Since", "yesterday"},
			"another tag":                  {"If-None-Match", `"x"`},
			"another tag, and a good date": {"If-None-Match", `"x"`, "If-Modified-Since", modified},
		} {
			if again := s.get(as(s.viewer), s.folderURL(s.outer), header...); again.Status != http.StatusOK {
				t.Errorf("%s: %d", name, again.Status)
			}
		}
	})
}

// Rule: DATA-21
func TestAChangeBelowAFolderIsAChangeOfIt(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := settled(t, w)
		before := s.ok(as(s.viewer), s.folderURL(s.outer))
		s.rename(s.innermost, "renamed")
		header := []string{"If-Modified-Since", before.Header.Get("Last-Modified")}
		if got := s.get(as(s.viewer), s.folderURL(s.outer), header...); got.Status != http.StatusOK {
			t.Errorf("after a change below: %d", got.Status)
		}
		if got := s.get(as(s.viewer), s.folderURL(s.outer), "If-None-Match",
			before.Header.Get("ETag")); got.Status != http.StatusOK {
			t.Errorf("by tag: %d", got.Status)
		}
	})
}

// Rule: DATA-22
func TestTwoChangesInOneSecondAreNeverTakenForOne(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := settled(t, w)
	// To the beginning of a second.
	now := s.Ambient.Now()
	s.Wait(now.Truncate(time.Second).Add(time.Second + 50*time.Millisecond).Sub(now))
	s.rename(s.innermost, "first")
	between := s.ok(as(s.viewer), s.folderURL(s.innermost)) // while the second still runs
	header := []string{"If-Modified-Since", between.Header.Get("Last-Modified")}
	if sent, err := http.ParseTime(between.Header.Get("Last-Modified")); err != nil || sent.After(s.Ambient.Now()) {
		t.Errorf("Last-Modified %v lies ahead of the clock, %v", sent, err)
	}
	s.rename(s.innermost, "second")
	if got := s.get(as(s.viewer), s.folderURL(s.innermost), header...); got.Status != http.StatusOK {
		t.Errorf("in the same second: %d", got.Status)
	}
	s.Wait(3 * time.Second)
	got := s.get(as(s.viewer), s.folderURL(s.innermost), header...)
	if got.Status != http.StatusOK || names([]resource{got.one(t)})[0] != "second" {
		t.Errorf("later: %d %s", got.Status, got.Body)
	}
	header[1] = got.Header.Get("Last-Modified")
	if got := s.get(as(s.viewer), s.folderURL(s.innermost), header...); got.Status != http.StatusNotModified {
		t.Errorf("with what the client has now: %d", got.Status)
	}
}

// Rule: DATA-23
func TestTheTagVariesWithTheCallersRights(t *testing.T) {
	s := settled(t, newWorld(t, sqliteURL(t)))
	tags := map[string]string{}
	for name, by := range map[string]caller{"viewer": as(s.viewer), "editor": as(s.editor), "hub admin": as(s.hubAdmin)} {
		tag := s.ok(by, s.folderURL(s.inner)).Header.Get("ETag")
		for other, taken := range tags {
			if taken == tag {
				t.Errorf("%s and %s have one tag", name, other)
			}
		}
		tags[name] = tag
	}
	if again := s.ok(as(s.viewer), s.folderURL(s.inner)).Header.Get("ETag"); again != tags["viewer"] {
		t.Errorf("the viewer's tag was %s and is %s", tags["viewer"], again)
	}
	if got := s.get(as(s.editor), s.folderURL(s.inner), "If-None-Match", tags["viewer"]); got.Status != http.StatusOK {
		t.Errorf("another's tag: %d", got.Status)
	}
}

// Rule: DATA-20
func TestItemsAndVersionsAreReadConditionallyToo(t *testing.T) {
	s := settled(t, newWorld(t, sqliteURL(t)))
	for _, path := range []string{s.itemURL(s.reserved), s.itemURL(s.reserved) + "/tip", s.versionURL(s.reserved, "1"),
		s.versionURL(s.reserved, "1") + "/item", s.itemURL(s.reserved) + "/parent", s.folderURL(s.middle) + "/parent"} {
		got := s.ok(as(s.viewer), path)
		for _, header := range [][]string{{"If-None-Match", got.Header.Get("ETag")},
			{"If-Modified-Since", got.Header.Get("Last-Modified")}} {
			if again := s.get(as(s.viewer), path, header...); again.Status != http.StatusNotModified {
				t.Errorf("%s with %v: %d", path, header, again.Status)
			}
		}
	}
	item := s.itemURL(s.reserved)
	before := s.ok(as(s.viewer), item)
	s.Wait(storage.ReservationLifetime + time.Minute)
	for _, header := range [][]string{{"If-None-Match", before.Header.Get("ETag")},
		{"If-Modified-Since", before.Header.Get("Last-Modified")}} {
		if got := s.get(as(s.viewer), item, header...); got.Status != http.StatusOK {
			t.Errorf("the reservation has ended, and %v gives %d", header, got.Status)
		}
	}
	withPath := item + "?includePathInProject=true"
	path := s.ok(as(s.viewer), withPath)
	s.rename(s.outer, "Renamed")
	if got := s.get(as(s.viewer), withPath, "If-Modified-Since",
		path.Header.Get("Last-Modified")); got.Status != http.StatusOK {
		t.Errorf("the path has changed: %d", got.Status)
	}
}

// Rule: DATA-23
func TestAConditionIsNoWayAroundPermissions(t *testing.T) {
	s := settled(t, newWorld(t, sqliteURL(t)))
	s.refused(as(s.deep), s.folderURL(s.outer), 403, "NO_PERMISSION", nil, "If-None-Match", "*")
	s.refused(as(s.viewer), s.folderURL(s.hidden), 404, "FOLDER_NOT_FOUND", nil, "If-None-Match", "*")
}

// Rule: DATA-20
func TestAnItemThatWasReservedOrReleasedHasChanged(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *world) {
		s := settled(t, w)
		item := s.itemURL(s.report)
		s.Wait(time.Minute)
		last := s.ok(as(s.viewer), item).Header.Get("Last-Modified")
		for _, flag := range []bool{true, false} {
			now := s.Ambient.Now().Format(http.TimeFormat)
			s.Wait(time.Minute)
			s.changes(writer(s.editor), item, patchOf("items", itemURN(s.report), object{"reserved": flag}))
			s.Wait(time.Minute)
			for _, since := range []string{last, now} {
				got := s.get(as(s.viewer), item, "If-Modified-Since", since)
				if got.Status != http.StatusOK {
					t.Errorf("reserved is %v since then, and If-Modified-Since %s gives %d", flag, since, got.Status)
				}
				last = got.Header.Get("Last-Modified")
			}
			s.Equal(http.StatusNotModified, s.get(as(s.viewer), item, "If-Modified-Since", last).Status)
		}
	})
}
