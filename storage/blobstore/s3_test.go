package blobstore_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/s3test"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/blobstore/blobtest"
)

func openS3(t *testing.T, s s3test.Service) *blobstore.S3 {
	t.Helper()
	store, err := blobstore.OpenS3(blobstore.S3Options{
		Endpoint: s.Endpoint, Bucket: s.Bucket, AccessKey: s.AccessKey, SecretKey: s.SecretKey,
	})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// Rule: OBJ-42
func TestS3KeepsTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blobstore.Store { return openS3(t, s3test.Start(t)) })
}

// send makes a request without any credentials.
func send(t *testing.T, method, address, body string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(got)
}

// Rule: OBJ-20
func TestSignedAddressesOfABucketTakePartsAndGiveBytes(t *testing.T) {
	store := openS3(t, s3test.Start(t))
	key := ambient.System().UID()
	upload, err := store.Begin(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	address, err := store.SignPart(t.Context(), key, upload, 1, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if status, header, body := send(t, http.MethodPut, address, "bytes"); status != http.StatusOK ||
		header.Get("ETag") == "" {
		t.Fatalf("PUT: %d %v %s", status, header, body)
	}
	if status, _, _ := send(t, http.MethodPut, strings.Replace(address, "partNumber=1", "partNumber=2", 1),
		"bytes"); status != http.StatusForbidden {
		t.Errorf("an address of part 1 takes part 2: %d", status)
	}
	if status, _, _ := send(t, http.MethodDelete, address, ""); status != http.StatusForbidden {
		t.Errorf("an address for PUT takes DELETE: %d", status)
	}
	parts, err := store.Parts(t.Context(), key, upload)
	if err != nil || len(parts) != 1 || parts[0].Size != 5 {
		t.Fatalf("%v, %v", parts, err)
	}
	if err := store.Complete(t.Context(), key, upload, parts); err != nil {
		t.Fatal(err)
	}
	address, err = store.SignGet(t.Context(), key, blobstore.Presentation{
		ContentType: "text/plain", Disposition: `attachment; filename="a b.txt"`, CacheControl: "private",
	}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	status, header, body := send(t, http.MethodGet, address, "")
	if status != http.StatusOK || body != "bytes" || header.Get("Content-Type") != "text/plain" ||
		header.Get("Content-Disposition") != `attachment; filename="a b.txt"` || header.Get("Cache-Control") != "private" {
		t.Errorf("GET: %d %v %s", status, header, body)
	}
	if status, _, _ := send(t, http.MethodGet, strings.Replace(address, "text%2Fplain", "text%2Fhtml", 1),
		""); status != http.StatusForbidden {
		t.Errorf("a changed type is taken: %d", status)
	}
}

func TestABucketThatCannotBeReachedIsUnavailable(t *testing.T) {
	service := s3test.Start(t)
	if err := openS3(t, service).Check(t.Context()); err != nil {
		t.Errorf("a bucket that is there: %v", err)
	}
	elsewhere := service
	elsewhere.Bucket = "absent"
	if err := openS3(t, elsewhere).Check(t.Context()); err == nil {
		t.Error("an absent bucket is there")
	}
	stranger := service
	stranger.SecretKey = "wrong"
	if _, err := openS3(t, stranger).Begin(t.Context(), ambient.System().UID()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("with a wrong key: %v", err)
	}
	for _, endpoint := range []string{"", "s3.example.test", "https://", "https://s3.example.test/path", "::"} {
		if _, err := blobstore.OpenS3(blobstore.S3Options{Endpoint: endpoint, Bucket: "b"}); err == nil {
			t.Errorf("%q is taken as an endpoint", endpoint)
		}
	}
	if _, err := url.Parse(service.Endpoint); err != nil {
		t.Error(err)
	}
}
