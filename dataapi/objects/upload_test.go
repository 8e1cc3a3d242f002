package objects_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
)

const minPart = blobstore.MinPart

// random returns n bytes that follow from the seed.
func random(n int, seed byte) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Rule: OBJ-4
func TestAFileComesInPartsAndGoesBackAsItWas(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		first, second := random(minPart, 1), random(1234, 2)
		whole := append(bytes.Clone(first), second...)
		path := w.reserve("model.ifc")
		begun := w.begin(path, 2)
		tags := []string{w.put(begun.URLs[0], first), w.put(begun.URLs[1], second)}
		got := ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload", map[string]any{
			"uploadKey": begun.UploadKey, "size": len(whole), "eTags": tags, "sha256": strings.ToUpper(hexSum(whole)),
		}))
		weak := sha1.Sum(whole)
		w.Equal(stored{
			BucketKey: bucket, ObjectKey: keyOf(path), ObjectID: "urn:portico:os.object:" + bucket + "/" + keyOf(path),
			ContentType: "application/octet-stream", Location: w.URL + path, Size: int64(len(whole)),
			SHA1: hex.EncodeToString(weak[:]), SHA256: hexSum(whole),
		}, got)
		w.Equal(got, ok[stored](w, w.call(publisher, "GET", path+"/details", nil)))

		where := ok[download](w, w.call(publisher, "GET", path+"/signeds3download", nil))
		w.Equal([]any{int64(len(whole)), got.SHA1, got.SHA256, "complete"},
			[]any{where.Size, where.SHA1, where.SHA256, where.Status})
		if back := w.send("GET", where.URL, nil); back.Status != 200 || !bytes.Equal(back.Body, whole) {
			t.Errorf("%d, %d other bytes", back.Status, len(back.Body))
		}
		if back := w.call(publisher, "GET", path, nil); back.Status != 200 || !bytes.Equal(back.Body, whole) {
			t.Errorf("%d, %d other bytes", back.Status, len(back.Body))
		}
	})
}

// Rule: OBJ-5
func TestAnUploadGoesOnWhereItBroke(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		begun := w.begin(path, 1)
		w.put(begun.URLs[0], random(minPart, 1))
		query := "/signeds3upload?parts=2&firstPart=2&minutesExpiration=60&useAcceleration=true&uploadKey=" + begun.UploadKey
		again := ok[signed](w, w.call(publisher, "GET", path+query, nil))
		w.Equal([]any{begun.UploadKey, begun.UploadExpiration, 2},
			[]any{again.UploadKey, again.UploadExpiration, len(again.URLs)})
		if len(again.Parts) != 1 || again.Parts[0].Part != 1 || again.Parts[0].Size != minPart {
			t.Errorf("parts: %+v", again.Parts)
		}
		w.put(again.URLs[0], random(7, 2))
		got := ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}))
		w.Equal(int64(minPart+7), got.Size)
	})
}

// Rule: OBJ-6
func TestAPartThatComesAgainReplacesTheOneBefore(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		begun := w.begin(path, 1)
		w.put(begun.URLs[0], []byte("before"))
		w.put(begun.URLs[0], []byte("after"))
		ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}))
		w.Equal("after", string(w.call(publisher, "GET", path, nil).Body))
	})
}

// Rule: OBJ-10
func TestAnEmptyFileIsAFile(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.upload("empty.txt", nil)
		got := ok[stored](w, w.call(publisher, "GET", path+"/details", nil))
		w.Equal([]any{int64(0), hexSum(nil)}, []any{got.Size, got.SHA256})
		w.Equal(0, len(w.call(publisher, "GET", path, nil, "Range", "bytes=0-5").Body))
	})
}

// Rule: OBJ-57
func TestTheCRC32OfWhatComesIsKeptHoweverItComes(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		parts, whole := w.upload("parts.txt", []byte("123456789")), w.reserve("whole.txt")
		ok[stored](w, w.call(publisher, "PUT", whole, []byte("123456789")))
		for _, path := range []string{parts, whole} {
			found, err := w.Store.FindObject(t.Context(), bucket, keyOf(path))
			w.Must(err)
			w.Equal("cbf43926", hex.EncodeToString(found.CRC32)) // the check value of CRC-32
		}
	})
}

// Rule: OBJ-8
func TestFiftyThatCompleteOneUploadAtOnceGetOneObject(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		begun := w.begin(path, 1)
		w.put(begun.URLs[0], []byte("bytes"))
		answers := make([]answer, 50)
		var work sync.WaitGroup
		for i := range answers {
			work.Go(func() {
				answers[i] = w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey})
			})
		}
		work.Wait()
		for _, a := range answers {
			w.Equal(ok[stored](w, answers[0]), ok[stored](w, a))
		}
		blobs, err := w.Blobs.List(w.Context(), "", 10)
		w.Must(err)
		if len(blobs) != 1 || blobs[0].Key != begun.UploadKey {
			t.Errorf("stored: %v", blobs)
		}
	})
}

// Rule: OBJ-8
func TestOfTwoUploadsOfAnObjectTheFirstToBeCompletedCounts(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		first, other, same := w.begin(path, 1), w.begin(path, 1), w.begin(path, 1)
		w.put(first.URLs[0], []byte("first"))
		w.put(other.URLs[0], []byte("other"))
		w.put(same.URLs[0], []byte("first"))
		complete := func(u signed) answer {
			return w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": u.UploadKey})
		}
		before := ok[stored](w, complete(first))
		w.refused(complete(other), 409, "object_stored", "Another upload has brought the bytes of the object.")
		w.refused(complete(same), 409, "object_stored", "Another upload has brought the bytes of the object.")
		w.refused(w.call(publisher, "GET", path+"/signeds3upload", nil), 409, "object_stored",
			"The object has its bytes: make another one for others.")
		w.refused(w.call(publisher, "PUT", path, []byte("older")), 409, "object_stored",
			"The object has its bytes: make another one for others.")
		w.Equal(before, ok[stored](w, complete(first)))
		w.Equal("first", string(w.call(publisher, "GET", path, nil).Body))
	})
}

// Rule: OBJ-9
func TestACompletionThatLostItsNoteIsFinished(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		begun := w.begin(path, 1)
		w.put(begun.URLs[0], []byte("bytes"))
		upload, err := w.Store.FindUpload(w.Context(), bucket, keyOf(path), begun.UploadKey, w.Ambient.Now())
		w.Must(err)
		parts, err := w.Blobs.Parts(w.Context(), upload.ID, upload.Reference)
		w.Must(err)
		// So far a server came that was killed then.
		w.Must(w.Blobs.Complete(w.Context(), upload.ID, upload.Reference, parts))
		got := ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}))
		w.Equal(hexSum([]byte("bytes")), got.SHA256)
	})
}

// joining is a store that takes its time to make one of all parts.
type joining struct {
	blobstore.Store
	takes time.Duration
}

func (s joining) Complete(ctx context.Context, key, upload string, parts []blobstore.Part) error {
	select {
	case <-time.After(s.takes):
		return s.Store.Complete(ctx, key, upload, parts)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// S3 says that it may take minutes, and tells nothing meanwhile.
//
// Rule: OBJ-9
func TestAStoreMayTakeLongToJoinAllParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, sqliteURL(t), joining{files(t), 12 * time.Second})
	path := w.reserve("file.bin")
	begun := w.begin(path, 1)
	w.put(begun.URLs[0], []byte("bytes"))
	got := ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}))
	w.Equal(hexSum([]byte("bytes")), got.SHA256)
}

type wrongParts struct {
	UploadKey, Status, Reason string
	Size                      struct{ Expected, Detected *int64 }
	Parts                     []part
}

// of returns statuses of parts in words.
func (p wrongParts) of() string {
	var all []string
	for _, one := range p.Parts {
		all = append(all, fmt.Sprintf("%d %s", one.Part, one.Status))
	}
	return strings.Join(all, ", ")
}

// Rule: OBJ-7
func TestWrongPartsAreNamedAndTheUploadGoesOn(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		begun := w.begin(path, 3)
		complete := func(more map[string]any) answer {
			body := map[string]any{"uploadKey": begun.UploadKey}
			for name, value := range more {
				body[name] = value
			}
			return w.call(publisher, "POST", path+"/signeds3upload", body)
		}
		refused := func(want string, detected int64, more map[string]any) {
			t.Helper()
			got := ok[wrongParts](w, complete(more))
			w.Equal([]any{begun.UploadKey, "error", "MissingOrInvalidParts", want, detected},
				[]any{got.UploadKey, got.Status, got.Reason, got.of(), *got.Size.Detected})
		}
		refused("", 0, nil)
		one := w.put(begun.URLs[0], random(9, 1))
		refused("1 TooSmall, 2 Pending", 9, map[string]any{"eTags": []string{one, "x"}})
		three := w.put(begun.URLs[2], random(3, 3))
		refused("1 TooSmall, 2 Pending, 3 Ok", 12, nil)
		refused("1 Unexpected+TooSmall, 2 Pending, 3 Unexpected", 12, map[string]any{"eTags": []string{"other"}})
		two := w.put(begun.URLs[1], random(minPart, 2))
		one = w.put(begun.URLs[0], random(minPart, 1))
		refused("1 Ok, 2 Ok, 3 Unexpected", 2*minPart+3, map[string]any{"eTags": []string{one, two}})
		refused("1 Ok, 2 Unexpected, 3 Ok", 2*minPart+3, map[string]any{"eTags": []string{one, "other", three}})
		refused("1 Ok, 2 Ok, 3 Ok", 2*minPart+3, map[string]any{"size": 1})
		got := ok[stored](w, complete(map[string]any{"size": 2*minPart + 3, "eTags": []string{one, two, three}}))
		w.Equal(int64(2*minPart+3), got.Size)
		again := ok[wrongParts](w, complete(map[string]any{"size": 1}))
		w.Equal([]any{int64(1), int64(2*minPart + 3)}, []any{*again.Size.Expected, *again.Size.Detected})
		if again.Parts == nil {
			t.Error("where clients go through the parts there is no list")
		}
	})
}

// Rule: OBJ-10
func TestAChecksumOfTheWholeIsCompared(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		begun := w.begin(path, 1)
		w.put(begun.URLs[0], []byte("bytes"))
		complete := func(sum string) answer {
			return w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey, "sha256": sum})
		}
		w.refused(complete("abc"), 400, "bad_input", "A SHA-256 has 64 hex digits.")
		w.refused(complete(hexSum([]byte("other"))), 400, "checksum_mismatch",
			"The bytes that came are not those of the checksum: upload them again.")
		w.refused(complete(hexSum([]byte("bytes"))), 410, "upload_ended", "The upload has ended: begin another.")
		blobs, err := w.Blobs.List(w.Context(), "", 10)
		w.Must(err)
		w.Equal(0, len(blobs))

		begun = w.begin(path, 1)
		w.put(begun.URLs[0], []byte("bytes"))
		ok[stored](w, complete(hexSum([]byte("bytes"))))
		w.refused(complete(hexSum([]byte("other"))), 400, "checksum_mismatch",
			"The bytes that came are not those of the checksum: upload them again.")
		ok[stored](w, complete(hexSum([]byte("bytes"))))
	})
}

// Rule: OBJ-6
func TestAChecksumOfAPartIsCompared(t *testing.T) {
	w := here(t)
	body := []byte("bytes of a part")
	strong, weak := sha256.Sum256(body), md5.Sum(body)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(strong[:]) + ":"
	sum := base64.StdEncoding.EncodeToString(weak[:])
	path := w.reserve("file.bin")
	begun := w.begin(path, 1)
	for name, value := range map[string]string{"Content-MD5": sum, "Content-Digest": "sha-512=:AAAA:, " + digest} {
		if got := w.send("PUT", begun.URLs[0], body, name, value); got.Status != 200 {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
		w.refused(w.send("PUT", begun.URLs[0], []byte("bytes of another"), name, value), 400, "checksum_mismatch",
			"The bytes that came are not those of the checksum: send them again.")
		w.refused(w.send("PUT", begun.URLs[0], nil, name, value), 400, "checksum_mismatch",
			"The bytes that came are not those of the checksum: send them again.")
	}
	for name, value := range map[string]string{"Content-MD5": "junk", "Content-Digest": "sha-256=:" + sum + ":"} {
		w.refused(w.send("PUT", begun.URLs[0], body, name, value), 400, "bad_input", "The checksum can't be read.")
	}
	// What was refused has left the part as it was.
	ok[stored](w, w.call(publisher, "POST", path+"/signeds3upload",
		map[string]any{"uploadKey": begun.UploadKey, "sha256": hexSum(body)}))
}

// Rule: OBJ-6
func TestABodyThatEndsEarlyIsNoPart(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("file.bin")
		begun := w.begin(path, 1)
		request, err := http.NewRequestWithContext(w.Context(), "PUT", begun.URLs[0], strings.NewReader("four"))
		w.Must(err)
		request.ContentLength = 5
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode < 400 {
				t.Errorf("five bytes announced, four sent: %d", answer.StatusCode)
			}
		}
		got := ok[signed](w, w.call(publisher, "GET", path+"/signeds3upload?uploadKey="+begun.UploadKey, nil))
		w.Equal(0, len(got.Parts))
		w.put(got.URLs[0], []byte("five!"))
	})
}

// Rule: OBJ-5
func TestAnUploadEndsAfterADay(t *testing.T) {
	w := here(t)
	path := w.reserve("file.bin")
	begun := ok[signed](w, w.call(publisher, "GET", path+"/signeds3upload?minutesExpiration=60", nil))
	w.put(begun.URLs[0], []byte("bytes"))
	w.Wait(storage.UploadLifetime - time.Minute)
	again := ok[signed](w, w.call(publisher, "GET",
		path+"/signeds3upload?minutesExpiration=60&uploadKey="+begun.UploadKey, nil))
	w.put(again.URLs[0], []byte("bytes"))
	w.Wait(time.Minute)
	const gone = "There is no such upload of the object, or it has expired."
	w.refused(w.send("PUT", again.URLs[0], []byte("bytes")), 404, "upload_not_found", gone)
	w.refused(w.call(publisher, "GET", path+"/signeds3upload?uploadKey="+begun.UploadKey, nil), 404,
		"upload_not_found", gone)
	w.refused(w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}), 404,
		"upload_not_found", gone)
}

// Rule: OBJ-11
func TestOlderClientsPutAllBytesAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		path := w.reserve("page.html")
		body := []byte("<html><body>hello</body></html>")
		got := ok[stored](w, w.call(publisher, "PUT", path, body, "Content-Type", "application/octet-stream"))
		w.Equal([]any{int64(len(body)), hexSum(body), "text/html"}, []any{got.Size, got.SHA256, got.ContentType})
		w.Equal(body, w.call(publisher, "GET", path, nil).Body)
	})
}

// Rule: OBJ-13
func TestAProjectTakesNoMoreThanItMay(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		w.Must(w.Store.SetLimits(w.Context(), w.Operator(), w.Project.ID, storage.Limits{Quota: 12, MaxObject: 8}))
		path := w.reserve("large.bin")
		begun := w.begin(path, 2)
		if !w.Signed {
			w.refused(w.send("PUT", begun.URLs[0], random(9, 1)), 413, "part_too_large",
				"At most 8 bytes are taken here, not 9.")
			w.put(begun.URLs[0], random(8, 1))
			w.refused(w.send("PUT", begun.URLs[1], random(1, 1)), 413, "object_size",
				"A file of this project has at most 8 bytes, this one 9.")
		} else {
			w.put(begun.URLs[0], random(9, 1))
			w.refused(w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey}),
				413, "object_size", "A file of this project has at most 8 bytes, this one 9.")
		}
		w.refused(w.call(publisher, "PUT", path, random(9, 1)), 413, "part_too_large",
			"At most 8 bytes are taken here, not 9.")
		w.upload("fits.bin", random(8, 1))
		late := w.reserve("late.bin")
		w.refused(w.call(publisher, "PUT", late, random(5, 2)), 403, "quota_exceeded",
			"The project may store 12 bytes and has 8: 5 more are too many.")
		w.upload("last.bin", random(4, 3))
		w.refused(w.call(publisher, "GET", late+"/signeds3upload", nil), 403, "quota_exceeded",
			"The project may store 12 bytes and has 12.")
		blobs, err := w.Blobs.List(w.Context(), "", 10)
		w.Must(err)
		w.Equal(2, len(blobs))
		w.Must(w.Store.SetLimits(w.Context(), w.Operator(), w.Project.ID, storage.Limits{}))
		ok[stored](w, w.call(publisher, "PUT", late, random(100, 2)))
	})
}

// Whoever completes an upload may be told that the disk failed, and asks again.
//
// Rule: SERVER-70
func TestAnUploadIsCalledCompletedBeforeOnceThatIsOnTheDisk(t *testing.T) {
	url := sqliteURL(t)
	w := newWorld(t, url, files(t))
	path := w.reserve("plan.pdf")
	begun := w.begin(path, 1)
	w.put(begun.URLs[0], random(9, 1))
	complete := func() answer {
		return w.call(publisher, "POST", path+"/signeds3upload", map[string]any{"uploadKey": begun.UploadKey})
	}
	w.Equal(ok[stored](w, complete()), ok[stored](w, complete()))
	w.Must(os.Remove(strings.TrimPrefix(url, "sqlite:") + "-wal")) // nothing can be kept
	if got := complete(); got.Status != http.StatusServiceUnavailable {
		t.Errorf("it is called completed: %d %s", got.Status, got.Body)
	}
}
