package ldaptest

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// Wire is a way to a directory that counts what goes along it.
type Wire struct {
	URL   string
	bytes atomic.Int64
}

// Bytes is how many went to the directory.
func (w *Wire) Bytes() int64 { return w.bytes.Load() }

// Tap puts a Wire before the directory until the test ends.
func Tap(t testing.TB, to string) *Wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	w := &Wire{URL: "ldap://" + l.Addr().String()}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(to, "ldap://"))
			if err != nil {
				_ = near.Close()
				continue
			}
			go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
			go func() { _, _ = io.Copy(far, io.TeeReader(near, w)); _ = far.Close() }()
		}
	}()
	return w
}

// Write counts.
func (w *Wire) Write(b []byte) (int, error) {
	w.bytes.Add(int64(len(b)))
	return len(b), nil
}
