package antivirus_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/portico-id/portico/internal/antivirus"
	"github.com/portico-id/portico/internal/harness/clamtest"
)

func open(t *testing.T, address string) antivirus.Scanner {
	t.Helper()
	scanner, err := antivirus.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return scanner
}

// bridge lets a scanner on a socket be reached over TCP.
func bridge(t *testing.T, socket string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				from.Close()
				continue
			}
			go func() { _, _ = io.Copy(to, from) }()
			go func() {
				_, _ = io.Copy(from, to)
				from.Close()
				to.Close()
			}()
		}
	}()
	return "tcp://" + listener.Addr().String()
}

// Rule: OBJ-51
func TestClamdFindsWhatIsInBytes(t *testing.T) {
	socket := clamtest.Start(t)
	long := append(bytes.Repeat([]byte("text "), 100_000), clamtest.Text()...)
	for _, address := range []string{"unix://" + socket, bridge(t, socket)} {
		scanner := open(t, address)
		for _, test := range []struct {
			body []byte
			want string
		}{
			{clamtest.Text(), clamtest.Finding}, {long, clamtest.Finding}, {long[:len(long)-1], ""}, {nil, ""},
		} {
			got, err := scanner.Scan(t.Context(), bytes.NewReader(test.body))
			if got != test.want || err != nil {
				t.Errorf("%s, %d bytes: %q, %v, want %q", address, len(test.body), got, err, test.want)
			}
		}
	}
}

// Rule: OBJ-51
func TestWhatClamdCouldNotScanIsNotClean(t *testing.T) {
	socket := clamtest.Start(t)
	scanner := open(t, "unix://"+socket)
	if finding, err := scanner.Scan(t.Context(), bytes.NewReader(make([]byte, 4*clamtest.MaxStream))); err == nil {
		t.Errorf("more than it takes: %q", finding)
	}
	if finding, err := scanner.Scan(t.Context(), iotest.ErrReader(errors.New("lost"))); err == nil ||
		err.Error() != "lost" {
		t.Errorf("bytes that can't be read: %q, %v", finding, err)
	}
	if finding, err := open(t, "unix://"+socket+"x").Scan(t.Context(), strings.NewReader("")); err == nil {
		t.Errorf("nobody there: %q", finding)
	}
}

// Rule: OBJ-51
func TestAServiceSaysWhatIsInBytes(t *testing.T) {
	for name, test := range map[string]struct {
		status  int
		answer  string
		finding string
		fails   bool
	}{
		"clean":          {200, `{"infected":false}`, "", false},
		"infected":       {200, `{"infected":true,"finding":"X"}`, "X", false},
		"without name":   {200, `{"infected":true}`, "a virus", false},
		"says nothing":   {200, `{}`, "", true},
		"no JSON":        {200, `OK`, "", true},
		"out of order":   {503, `{"infected":false}`, "", true},
		"is elsewhere":   {302, `{"infected":false}`, "", true},
		"finds, and 500": {500, `{"infected":true}`, "", true},
	} {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if body, err := io.ReadAll(r.Body); err != nil || string(body) != "bytes" || r.Method != http.MethodPost {
				t.Errorf("%s with %s", r.Method, body)
			}
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.answer)
		}))
		got, err := open(t, service.URL+"/scan").Scan(t.Context(), strings.NewReader("bytes"))
		service.Close()
		if got != test.finding || (err != nil) != test.fails {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
