package blobstore_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/harness/s3test"
)

// hasty answers that it has each part before it came, as a proxy may that is broken.
func hasty(t *testing.T) s3test.Service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 0\r\n\r\n")
			}
		}
	}()
	return s3test.Service{Endpoint: "http://" + listener.Addr().String(), Bucket: "bucket", AccessKey: "a", SecretKey: "s"}
}

// Rule: OBJ-42
func TestAServiceThatSaysYesBeforeAllBytesCameIsNotBelieved(t *testing.T) {
	rest, sender := io.Pipe()
	t.Cleanup(func() { _ = sender.Close() })
	body := io.MultiReader(bytes.NewReader(make([]byte, 1<<20)), rest)
	part, err := openS3(t, hasty(t)).PutPart(t.Context(), ambient.System().UID(), "upload", 1, body, 2<<20)
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("%+v, %v", part, err)
	}
}
