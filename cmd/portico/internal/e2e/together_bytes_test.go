package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rule: OBJ-50
func TestFiftyThatCompleteOneUploadAndAddVersionsAtOnceHaveOneObjectAndNoGap(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, q *quay) {
		const clients = 50
		body := []byte("bytes of everybody")
		sum := sha256.Sum256(body)
		c := q.reserve("together.bin")
		q.put(c, "1", body)
		var want []int
		numbers, answers := make([]int, clients), make([]answer, clients)
		var together sync.WaitGroup
		for i := range clients {
			want = append(want, i+2) // behind the first
			together.Go(func() {
				q.complete(c, hex.EncodeToString(sum[:]))
				answers[i], _ = q.insist(http.MethodPost, q.all("versions"), http.StatusCreated, object{"data": object{
					"type": "versions", "attributes": object{"name": "seed.txt"},
					"relationships": object{"item": leads("items", itemURN(q.seed)), "storage": leads("objects", c.urn)},
				}})
			})
		}
		together.Wait()
		for i, a := range answers {
			var made struct {
				Data struct {
					Attributes    struct{ VersionNumber int }
					Relationships struct {
						Storage struct{ Data struct{ ID string } }
					}
				}
			}
			q.must(json.Unmarshal([]byte(a.Body), &made))
			numbers[i] = made.Data.Attributes.VersionNumber
			if got := made.Data.Relationships.Storage.Data.ID; got != c.urn {
				t.Errorf("a version has the bytes of %s", got)
			}
		}
		slices.Sort(numbers)
		if diff := cmp.Diff(want, numbers); diff != "" {
			t.Errorf("numbers of the versions (-want +got):\n%s", diff)
		}
		row, err := q.record(c)
		q.must(err)
		stored, err := q.blobs.List(t.Context(), "", 10)
		q.must(err)
		if len(stored) != 1 || stored[0].Key != row.Blob || row.Blob != c.uploadKey {
			t.Errorf("stored are %v, and the object has %s of the upload %s", stored, row.Blob, c.uploadKey)
		}
	})
}
