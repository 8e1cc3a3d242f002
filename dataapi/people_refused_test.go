package dataapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A browser shows no answer before it has sent all of a form.
//
// Rule: FILES-21
func TestAFileThatNobodyTakesIsSentToItsEndAndAnswered(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	server := httptest.NewServer(p.handler)
	defer server.Close()
	known := httptest.NewRecorder()
	p.sessions.RememberBrowser(known, s.editor, nil)
	head := "--mark\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.bin\"\r\n\r\n"
	body := head + strings.Repeat("x", 16<<20) + "\r\n--mark--\r\n"
	for name, c := range map[string]struct {
		folder, query string
		cookie        *http.Cookie
		status        int
	}{
		"signed out":              {s.outer, "?by=" + s.editor, known.Result().Cookies()[0], http.StatusSeeOther},
		"into what is not there":  {s.Ambient.UID(), "", p.signedIn(s.editor), http.StatusNotFound},
		"by somebody else's form": {s.outer, "?by=" + s.viewer, p.signedIn(s.editor), http.StatusConflict},
	} {
		to, err := net.Dial("tcp", server.Listener.Addr().String())
		s.Must(err)
		path := s.pagesOf(thing{folder: c.folder})["folder"] + "/upload" + c.query
		_, err = fmt.Fprintf(to, "POST %s HTTP/1.1\r\nHost: x\r\nCookie: %s=%s\r\nContent-Length: %d\r\n"+
			"Content-Type: multipart/form-data; boundary=mark\r\n\r\n", path, c.cookie.Name, c.cookie.Value, len(body))
		s.Must(err)
		if _, err := io.WriteString(to, body); err != nil {
			t.Errorf("%s: the connection breaks: %v", name, err)
		}
		got, err := http.ReadResponse(bufio.NewReader(to), nil)
		if err != nil || got.StatusCode != c.status {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		s.Must(to.Close())
	}
}
