package storagetest

import (
	"fmt"
	"time"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/storage"
)

func objectChecks() []treeCheck {
	return []treeCheck{
		{"an object is reserved, stored, and found in each state", objectStates},
		{"ReserveObject refuses taken keys and absent projects", reserveObjectRefused},
		{"StoreBytes returns the object, ends its uploads, and keeps what was stored first", storeBytes},
		{"bytes of an upload that was ended are not noted", endUpload},
		{"the sum of bytes that came without one is noted once", noteSum},
		{"a version has the type of its bytes, unless that says nothing", versionType},
		{"an upload is found until it expires, and only with its object", uploads},
		{"BeginUpload refuses objects that are absent or stored", beginUploadRefused},
		{"of the items of an object one is listed for each standing of the user", objectItems},
		{"limits bound what is stored, and count it", limits},
		{"uploads that are not completed hold twice what their project may store", held},
		{"what no version has is dropped a grace after it was seen", orphans},
		{"what is wanted again is no orphan", wantedAgain},
		{"stored objects are listed page by page", listStored},
		{"bytes wait for a scan, one server takes them, and what is found is told and listed", scans},
		{"SweepExpired makes due what waits since a time ahead, tried or not", hasten},
		{"a blob is known while an object or an upload has it", knowsBlob},
	}
}

func objectStates(w *Tree) {
	user := w.User().ID
	made := w.ChangeBy(user)
	object := storage.Object{Bucket: "b", Key: "k.txt", ProjectID: w.Project.ID, Name: "file.txt",
		State: storage.ObjectReserved, CreatedAt: made.At, CreatedBy: user}
	w.Must(w.Data.ReserveObject(w.Ctx(), made, object))
	got, err := w.Data.FindObject(w.Ctx(), "b", "k.txt")
	w.Must(err)
	w.Equal(object, got)
	stored := w.Change()
	_, err = w.Data.StoreBytes(w.Ctx(), stored, "b", "k.txt", storage.Bytes{Size: 7, SHA256: []byte{1, 2}})
	w.Must(err)
	w.Must(w.sums("b", "k.txt", 7, []byte{1, 2}))
	object.State, object.Size, object.SHA256, object.StoredAt = storage.ObjectStored, 7, []byte{1, 2}, stored.At
	got, err = w.Data.FindObject(w.Ctx(), "b", "k.txt")
	w.Must(err)
	w.Equal(object, got)
	w.Unchanged(fault.Conflict, "", func() error { return w.sums("b", "k.txt", 8, []byte{1, 2}) })
	w.Unchanged(fault.Conflict, "", func() error { return w.sums("b", "k.txt", 7, []byte{2}) })
	w.Unchanged(fault.NotFound, "", func() error { return w.sums("b", "none", 7, nil) })
	w.Told("b/k.txt", storage.EventObjectStored, storage.EventObjectMade)
	_, err = w.Data.FindObject(w.Ctx(), "b", "none")
	w.Refused(err, fault.NotFound, "")
}

func reserveObjectRefused(w *Tree) {
	object := w.Object("k")
	w.Unchanged(fault.Conflict, "", func() error { return w.Data.ReserveObject(w.Ctx(), w.Change(), object) })
	object.ProjectID, object.Key = "b.none", "other"
	w.Unchanged(fault.NotFound, "", func() error { return w.Data.ReserveObject(w.Ctx(), w.Change(), object) })
	object.ProjectID = w.Project.ID
	w.Must(w.Data.ReserveObject(w.Ctx(), w.Change(), object))
}

func storeBytes(w *Tree) {
	w.reserve("k")
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("k", "upload 1")))
	bytes := storage.Bytes{Blob: "upload 1", Size: 3, SHA256: []byte{1}, SHA1: []byte{2}, CRC32: []byte{3},
		MimeType: "image/png"}
	change := w.Change()
	got, err := w.Data.StoreBytes(w.Ctx(), change, "b", "k", bytes)
	w.Must(err)
	w.Equal(bytes, got.Bytes)
	w.Equal(change.At, got.StoredAt)
	_, err = w.Data.FindUpload(w.Ctx(), "b", "k", "upload 1", w.Now())
	w.Refused(err, fault.NotFound, "")
	found, err := w.Data.FindObject(w.Ctx(), "b", "k")
	w.Must(err)
	w.Equal(got, found)
	same := storage.Bytes{Blob: "upload 2", Size: 3, SHA256: []byte{1}}
	again, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "k", same)
	w.Must(err)
	w.Equal(got, again)
	w.Unchanged(fault.Conflict, storage.ReasonObjectStored, func() error {
		_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "k",
			storage.Bytes{Blob: "upload 1", Size: 3, SHA256: []byte{9}})
		return err
	})
	w.Unchanged(fault.NotFound, "", func() error {
		_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "none", bytes)
		return err
	})
}

func endUpload(w *Tree) {
	w.reserve("k")
	for _, id := range []string{"ended", "good"} {
		w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("k", id)))
	}
	ends := func(id string) bool {
		ended, err := w.Data.EndUpload(w.Ctx(), id)
		w.Must(err)
		return ended
	}
	w.Equal([]bool{true, false, false}, []bool{ends("ended"), ends("ended"), ends("none")})
	found, err := w.Data.FindUpload(w.Ctx(), "b", "k", "ended", w.Now())
	w.Must(err)
	w.Equal("", found.Reference)
	late := found.ExpiresAt.Add(storage.KeepSpent + time.Minute) // somebody is still at it
	swept, err := w.Data.SweepUploads(w.Ctx(), late, 2)
	w.Must(err)
	w.Equal(1, swept)
	w.Equal(false, ends("good"))
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("k", "good")))
	w.Unchanged(fault.Gone, storage.ReasonUploadEnded, func() error {
		_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "k", storage.Bytes{Blob: "ended", Size: 1, SHA256: []byte{1}})
		return err
	})
	_, err = w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "k", storage.Bytes{Blob: "good", Size: 1, SHA256: []byte{1}})
	w.Must(err)
	w.Equal(false, ends("good"))

	w.reserve("other")
	last := w.upload("other", "late")
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), last))
	w.Equal(true, ends("late"))
	gone := last.ExpiresAt.Add(storage.UploadLifetime)
	for i, at := range []time.Time{gone.Add(-time.Microsecond), gone} {
		swept, err = w.Data.SweepUploads(w.Ctx(), at, 1)
		w.Must(err)
		w.Equal(i, swept)
	}
}

func noteSum(w *Tree) {
	w.Must(w.store("k", 1))
	w.Must(w.store("other", 1))
	for _, sum := range []byte{1, 2} {
		w.Must(w.Data.NoteCRC32(w.Ctx(), "blob of k", []byte{sum, 0, 0, 0}))
	}
	w.Must(w.Data.NoteCRC32(w.Ctx(), "none", []byte{1, 0, 0, 0}))
	for key, want := range map[string][]byte{"k": {1, 0, 0, 0}, "other": nil} {
		found, err := w.Data.FindObject(w.Ctx(), "b", key)
		w.Must(err)
		w.Equal(want, found.CRC32)
	}
}

// reserve reserves an object of bucket b.
func (w *Tree) reserve(key string) {
	w.Helper()
	w.Must(w.Data.ReserveObject(w.Ctx(), w.Change(), storage.Object{
		Bucket: "b", Key: key, ProjectID: w.Project.ID, Name: key, Target: storage.ObjectTarget{FolderID: w.Files.ID},
	}))
}

// store reserves and stores an object of bucket b.
func (w *Tree) store(key string, size int64) error {
	w.Helper()
	w.reserve(key)
	_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", key,
		storage.Bytes{Blob: "blob of " + key, Size: size, SHA256: []byte(key)})
	return err
}

// upload is an upload of an object of bucket b that lasts for an hour.
func (w *Tree) upload(key, id string) storage.Upload {
	return storage.Upload{ID: id, Bucket: "b", Key: key, Reference: "ref of " + id, ExpiresAt: w.Now().Add(time.Hour)}
}

func versionType(w *Tree) {
	item := w.Item(w.Files.ID, "file.txt").Item.ID
	for known, want := range map[string]string{
		"image/png": "image/png", "": "text/html", "text/plain": "text/html", "application/octet-stream": "text/html",
	} {
		key := "of " + known
		w.reserve(key)
		_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", key, storage.Bytes{Blob: key, Size: 1, MimeType: known})
		w.Must(err)
		version := newVersion("page.html")
		version.MimeType, version.Bucket, version.ObjectKey = "text/html", "b", key
		w.Equal(want, w.Version(item, version).Tip.MimeType)
	}
}

func uploads(w *Tree) {
	w.reserve("k")
	w.reserve("other")
	upload, change := w.upload("k", "u"), w.Change()
	w.Must(w.Data.BeginUpload(w.Ctx(), change, upload))
	got, err := w.Data.FindUpload(w.Ctx(), "b", "k", "u", upload.ExpiresAt.Add(-time.Microsecond))
	w.Must(err)
	upload.CreatedAt = change.At
	w.Equal(upload, got)
	_, err = w.Data.FindUpload(w.Ctx(), "b", "other", "u", w.Now())
	w.Refused(err, fault.NotFound, "")
	_, err = w.Data.FindUpload(w.Ctx(), "b", "k", "u", upload.ExpiresAt)
	w.Refused(err, fault.NotFound, "")
	for _, try := range []struct {
		at   time.Time
		want int
	}{{upload.ExpiresAt.Add(storage.KeepSpent - time.Microsecond), 0}, {upload.ExpiresAt.Add(storage.KeepSpent), 1},
		{upload.ExpiresAt.Add(storage.KeepSpent), 0}} {
		n, err := w.Data.SweepUploads(w.Ctx(), try.at, 10)
		w.Must(err)
		w.Equal(try.want, n)
	}
}

func beginUploadRefused(w *Tree) {
	w.Must(w.store("stored", 1))
	w.Unchanged(fault.Conflict, storage.ReasonObjectStored, func() error {
		return w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("stored", "u"))
	})
	w.Unchanged(fault.NotFound, "", func() error {
		return w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("none", "u"))
	})
}

func objectItems(w *Tree) {
	w.Must(w.store("k", 1))
	version := newVersion("a.txt")
	version.Bucket, version.ObjectKey = "b", "k"
	first := w.Item(w.Files.ID, "a.txt").Item.ID
	w.Version(first, version)
	w.Version(first, version)
	copied := func(folder, name string) string {
		item := w.Item(folder, name).Item.ID
		w.Version(item, storage.NewVersion{CopyFrom: &storage.VersionRef{ItemID: first, Number: 2}})
		return item
	}
	for n := range 60 {
		copied(w.Folder(w.Files.ID, fmt.Sprint(n)).ID, "c.txt")
	}
	second, hidden := copied(w.Plans.ID, "b.txt"), copied(w.Plans.ID, "hidden.txt")
	_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, hidden, storage.ItemPatch{Hidden: new(true)})
	w.Must(err)
	listed := func(user, key string) []string {
		items, err := w.Data.ListObjectItems(w.Ctx(), user,
			storage.Object{Bucket: "b", Key: key, ProjectID: w.Project.ID})
		w.Must(err)
		return items
	}
	user := w.User().ID
	w.Equal([]int{2, 2, 0}, []int{len(listed("", "k")), len(listed(user, "k")), len(listed(user, "none"))})
	for _, grant := range []storage.FolderGrant{{FolderID: w.Plans.ID, Level: storage.LevelDownload},
		{FolderID: w.Files.ID, Level: storage.LevelView}} {
		grant.UserID = user
		w.Must(w.Data.SetFolderGrant(w.Ctx(), w.Change(), w.Project.ID, grant))
	}
	items := listed(user, "k")
	w.Equal(3, len(items))
	w.Equal([]string{second, hidden}, []string{items[0], items[2]})
}

// drop marks and drops, and returns the keys of what went.
func (w *Tree) drop(limit int) []string {
	w.Helper()
	dropped, err := w.Data.DropOrphans(w.Ctx(), w.Act(), limit)
	w.Must(err)
	var keys []string
	for _, object := range dropped {
		keys = append(keys, object.Key)
	}
	return keys
}

func (w *Tree) mark(want int) {
	w.Helper()
	n, err := w.Data.MarkOrphans(w.Ctx(), w.Now(), 10)
	w.Must(err)
	w.Equal(want, n)
}

func orphans(w *Tree) {
	w.Must(w.Data.SetLimits(w.Ctx(), w.Change(), w.Project.ID, storage.Limits{Quota: 100}))
	w.Must(w.store("loose", 7))
	w.reserve("empty")
	w.Must(w.store("purged", 2))
	w.Must(w.store("kept", 3))
	purged, kept := w.itemOf("purged"), w.itemOf("kept")
	w.mark(0)
	w.Clock.Advance(storage.UploadLifetime)
	w.mark(2)
	w.Equal([]string(nil), w.drop(10))
	hide := true
	_, err := w.Data.UpdateItem(w.Ctx(), w.Change(), w.Project.ID, purged, storage.ItemPatch{Hidden: &hide})
	w.Must(err)
	w.Clock.Advance(storage.OrphanGrace)
	_, err = w.Data.PurgeHidden(w.Ctx(), w.Change(), w.Project.ID, w.Now(), 10)
	w.Must(err)
	w.mark(1) // the purged item's
	w.limitsAre(storage.Limits{Quota: 100, Used: 12})
	w.Equal(1, len(w.drop(1)))
	w.Equal(1, len(w.drop(10)))
	w.limitsAre(storage.Limits{Quota: 100, Used: 5})
	w.Clock.Advance(storage.OrphanGrace)
	w.Equal([]string{"purged"}, w.drop(10))
	w.Equal([]string(nil), w.drop(10))
	w.limitsAre(storage.Limits{Quota: 100, Used: 3})
	w.Told("b/purged", storage.EventObjectDropped, storage.EventObjectStored, storage.EventObjectMade)
	items, err := w.Data.ListObjectItems(w.Ctx(), "",
		storage.Object{Bucket: "b", Key: "kept", ProjectID: w.Project.ID})
	w.Must(err)
	w.Equal([]string{kept}, items)
}

// itemOf makes an item with a version that has the object.
func (w *Tree) itemOf(key string) string {
	w.Helper()
	item := w.Item(w.Files.ID, key).Item.ID
	version := newVersion(key)
	version.Bucket, version.ObjectKey = "b", key
	w.Version(item, version)
	return item
}

func wantedAgain(w *Tree) {
	w.Must(w.store("taken", 1))
	w.reserve("begun")
	w.reserve("filled")
	w.Clock.Advance(storage.UploadLifetime)
	w.mark(3)
	w.Clock.Advance(storage.OrphanGrace)
	w.itemOf("taken")
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("begun", "u")))
	_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", "filled", storage.Bytes{Blob: "x", Size: 1})
	w.Must(err)
	w.Equal([]string(nil), w.drop(10))
	w.mark(2)
}

func listStored(w *Tree) {
	for _, key := range []string{"c", "a", "b"} {
		w.Must(w.store(key, 1))
	}
	w.reserve("not stored")
	var keys []string
	for after := ""; ; {
		page, next, err := w.Data.ListStored(w.Ctx(), storage.PageRequest{After: after, Limit: 2})
		w.Must(err)
		for _, object := range page {
			keys = append(keys, object.Key)
		}
		if next == "" {
			break
		}
		after = next
	}
	w.Equal([]string{"a", "b", "c"}, keys)
	objects, bytes, err := w.Data.StoredExtent(w.Ctx())
	w.Must(err)
	w.Equal([]int64{3, 3}, []int64{int64(objects), bytes})
	_, _, err = w.Data.ListStored(w.Ctx(), storage.PageRequest{After: "junk"})
	w.Refused(err, fault.Invalid, "")
}

func knowsBlob(w *Tree) {
	w.Must(w.store("k", 1))
	w.reserve("begun")
	w.Must(w.Data.BeginUpload(w.Ctx(), w.Change(), w.upload("begun", "u")))
	for blob, want := range map[string]bool{"blob of k": true, "u": true, "none": false, "": false} {
		known, err := w.Data.KnowsBlob(w.Ctx(), blob)
		w.Must(err)
		w.Equal(want, known)
	}
}

func scans(w *Tree) {
	w.Must(w.store("never", 1))
	for _, key := range []string{"bad", "good"} {
		w.reserve(key)
		_, err := w.Data.StoreBytes(w.Ctx(), w.Change(), "b", key,
			storage.Bytes{Blob: "blob of " + key, Size: 1, SHA256: []byte(key), Scan: storage.ScanPending})
		w.Must(err)
	}
	now := w.Now().Add(time.Second)
	later := now.Add(time.Minute)
	claim := func(at time.Time) (keys []string) {
		objects, err := w.Data.ClaimScans(w.Ctx(), at, at.Add(time.Minute), 10)
		w.Must(err)
		for _, o := range objects {
			keys = append(keys, o.Key)
			w.Equal(storage.ScanPending, o.Scan)
		}
		return keys
	}
	w.Equal([]string{"bad", "good"}, claim(now))
	w.Equal(0, len(claim(later.Add(-time.Second))))
	for _, key := range []string{"good", "never", "none"} {
		w.Must(w.Data.PutOffScan(w.Ctx(), "b", key, now))
	}
	w.Equal([]string{"good"}, claim(now))
	w.Must(w.Data.EndScan(w.Ctx(), w.Change().Act, "b", "good", ""))
	w.Must(w.Data.PutOffScan(w.Ctx(), "b", "good", now))
	w.Equal([]string{"bad"}, claim(later))
	w.Must(w.Data.EndScan(w.Ctx(), w.Change().Act, "b", "bad", "X"))
	w.Must(w.Data.EndScan(w.Ctx(), w.Change().Act, "b", "bad", "Y"))
	w.Must(w.Data.EndScan(w.Ctx(), w.Change().Act, "b", "never", "Y"))
	w.Refused(w.Data.EndScan(w.Ctx(), w.Change().Act, "b", "none", ""), fault.NotFound, "")
	w.Equal(0, len(claim(later.AddDate(1, 0, 0))))
	w.Told("b/bad", storage.EventObjectInfected, storage.EventObjectStored, storage.EventObjectMade)
	w.Told("b/good", storage.EventObjectStored, storage.EventObjectMade)
	infected, next, err := w.Data.ListInfected(w.Ctx(), storage.PageRequest{Limit: 1})
	w.Must(err)
	w.Equal([]any{1, ""}, []any{len(infected), next})
	w.Equal([]any{"bad", storage.ScanInfected, "X"}, []any{infected[0].Key, infected[0].Scan, infected[0].Finding})
	good, err := w.Data.FindObject(w.Ctx(), "b", "good")
	w.Must(err)
	w.Equal(storage.ScanClean, good.Scan)
	version := newVersion("a.txt")
	version.Bucket, version.ObjectKey = "b", "bad"
	item := w.Item(w.Files.ID, "a.txt").Item.ID
	w.Unchanged(fault.Forbidden, storage.ReasonInfected, w.tryVersion(item, version))
}
