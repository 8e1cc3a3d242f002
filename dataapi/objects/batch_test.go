package objects_test

import (
	"encoding/json"
	"testing"
)

type outcome struct {
	Results map[string]json.RawMessage
}

// of reads the entry of an object.
func of[T any](w *world, o outcome, path string) T {
	w.Helper()
	var entry T
	w.Must(json.Unmarshal(o.Results[keyOf(path)], &entry))
	return entry
}

type refusal struct {
	Status       int
	Code, Reason string
}

// Rule: OBJ-12
func TestABatchAnswersForEachObjectAsItsOwnCallWould(t *testing.T) {
	everywhere(t, func(t *testing.T, w *world) {
		one, two, unknown := w.reserve("one.txt"), w.reserve("two.txt"), "/"+w.Ambient.UUID()
		begun := ok[outcome](w, w.call(publisher, "POST", allObjects+"/batchsigneds3upload?minutesExpiration=5",
			map[string]any{"requests": []any{
				map[string]any{"objectKey": keyOf(one)},
				map[string]any{"objectKey": keyOf(two), "parts": 2, "firstPart": 1},
				map[string]any{"objectKey": keyOf(unknown), "parts": 1},
			}}))
		first, second := of[signed](w, begun, one), of[signed](w, begun, two)
		w.Equal([]int{1, 2}, []int{len(first.URLs), len(second.URLs)})
		w.Equal(refusal{404, "object_not_found", "There is no such object."}, of[refusal](w, begun, unknown))
		w.put(first.URLs[0], []byte("one"))

		done := ok[outcome](w, w.call(publisher, "POST", allObjects+"/batchcompleteupload", map[string]any{"requests": []any{
			map[string]any{"objectKey": keyOf(one), "uploadKey": first.UploadKey},
			map[string]any{"objectKey": keyOf(two), "uploadKey": second.UploadKey, "size": 3},
			map[string]any{"objectKey": keyOf(unknown)},
		}}))
		w.Equal(int64(3), of[stored](w, done, one).Size)
		w.Equal("MissingOrInvalidParts", of[wrongParts](w, done, two).Reason)
		w.Equal(404, of[refusal](w, done, unknown).Status)

		where := ok[outcome](w, w.call(publisher, "POST", allObjects+"/batchsigneds3download",
			map[string]any{"requests": []any{
				map[string]any{"objectKey": keyOf(one), "response-content-disposition": "attachment; filename=x.txt"},
				map[string]any{"objectKey": keyOf(two)},
				map[string]any{"objectKey": keyOf(unknown), "response-content-type": "text/html"},
			}}))
		w.Equal("one", string(w.send("GET", of[download](w, where, one).URL, nil).Body))
		w.Equal("attachment; filename=\"x.txt\"; filename*=UTF-8''x.txt",
			of[download](w, where, one).Params["content-disposition"])
		w.Equal(refusal{404, "object_empty", "The object has no bytes yet."}, of[refusal](w, where, two))
	})
}

// Rule: OBJ-12
func TestABatchGivesNobodyMoreThanTheirOwnCallWould(t *testing.T) {
	w := here(t)
	full, empty := w.upload("full.txt", []byte("bytes")), w.reserve("empty.txt")
	w.version(full, "full.txt")
	for _, o := range batches() {
		path, reason := empty, noUpload
		if !o.writes {
			path, reason = full, noDownload
		}
		body := requests(keyOf(path))
		if o.end == "/batchcompleteupload" {
			body["requests"].([]map[string]any)[0]["uploadKey"] = "x"
		}
		got := ok[outcome](w, w.call(viewer, "POST", allObjects+o.end, body))
		w.Equal(refusal{403, "no_permission", reason}, of[refusal](w, got, path))
		got = ok[outcome](w, w.call(outsider, "POST", allObjects+o.end, body))
		w.Equal(404, of[refusal](w, got, path).Status)
	}
	got := ok[outcome](w, w.call(publisher, "POST", allObjects+"/batchsigneds3upload", map[string]any{"requests": []any{
		map[string]any{"objectKey": keyOf(empty), "parts": 26},
	}}))
	w.Equal(refusal{400, "bad_input", "parts is a number from 1 to 25."}, of[refusal](w, got, empty))
	got = ok[outcome](w, w.call(publisher, "POST", allObjects+"/batchcompleteupload", requests(keyOf(empty))))
	w.Equal(refusal{400, "bad_input", "The member uploadKey is missing."}, of[refusal](w, got, empty))
}
