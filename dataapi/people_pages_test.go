package dataapi_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/portico-id/portico/dataapi/access"
	"github.com/portico-id/portico/dataapi/administration"
	"github.com/portico-id/portico/dataapi/archive"
	"github.com/portico-id/portico/dataapi/flow"
	"github.com/portico-id/portico/dataapi/objects"
	"github.com/portico-id/portico/dataapi/pages"
	"github.com/portico-id/portico/dataapi/pages/filing"
	"github.com/portico-id/portico/dataapi/pages/ground"
	"github.com/portico-id/portico/dataapi/pages/office"
	"github.com/portico-id/portico/dataapi/pages/sending"
	"github.com/portico-id/portico/dataapi/pages/showing"
	"github.com/portico-id/portico/dataapi/pages/twinned"
	"github.com/portico-id/portico/dataapi/transmittal"
	"github.com/portico-id/portico/dataapi/tree"
	"github.com/portico-id/portico/dataapi/twins"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/gate/websession"
	"github.com/portico-id/portico/internal/httpio"
	"github.com/portico-id/portico/internal/tracing"
	"github.com/portico-id/portico/internal/webpage"
	"github.com/portico-id/portico/storage"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/templates"
)

// peoplesPages are the pages of files, for whoever signs in to them.
type peoplesPages struct {
	*scene
	sessions *websession.Manager
	handler  http.Handler
	routes   []httpio.Route
	cookies  map[string]*http.Cookie // of who has signed in, by user
}

func (s *scene) pages() peoplesPages { return s.pagesOver(s.Store, s.blobs(), nil) }

// pagesOver are the pages over a store that changes are made in, and a place for bytes.
func (s *scene) pagesOver(store tree.Store, blobs blobstore.Store, scanner *objects.Scanner) peoplesPages {
	s.Helper()
	made, err := templates.New(s.Ambient.Token)
	s.Must(err)
	sessions := websession.New(websession.Options{Store: s.Store, Ring: s.Ring, Ambient: s.Ambient})
	web := webpage.New(made, slog.New(slog.DiscardHandler), sessions.Greet)
	on := ground.New(ground.Options{Store: s.Store, Ambient: s.Ambient, URN: "portico", Sessions: sessions, Pages: made,
		Web: web, Sealer: s.Ring})
	find := access.Finder{Store: s.Store, URN: "portico"}
	desk := pages.New(pages.Options{Store: s.Store, Ground: on})
	bytes := objects.New(objects.Options{Store: s.Store, Blobs: blobs, Rights: find, Ambient: s.Ambient, Signer: s.Ring,
		Namespace: "portico", Scanner: scanner})
	acts := filing.New(filing.Options{Ground: on, Store: s.Store, Rules: tree.New(store, find, s.Ambient),
		States: flow.New(s.Store, find), Bytes: bytes})
	charge := office.New(office.Options{Ground: on, Rules: s.Admin, Names: flow.New(s.Store, find),
		Invite: func(context.Context, storage.Act, string) (administration.Invitation, error) {
			return administration.Invitation{UserID: s.outsider, URL: "https://id.example.test/join"}, nil
		}})
	packer := archive.New(archive.Options{Store: s.Store, Blobs: blobs, Rights: find, Ambient: s.Ambient})
	looked := showing.New(showing.Options{Ground: on, Store: s.Store, Bytes: bytes, Archives: packer})
	twin := twinned.New(twinned.Options{Ground: on, Twins: twins.New(twins.Options{Store: s.Store,
		Blobs: blobs, Originals: find, Ambient: s.Ambient, Bearer: s.Bearer, Signer: s.Ring, Namespace: "portico",
		BaseURL: "https://id.example.test"})})
	sent := sending.New(on, transmittal.New(transmittal.Options{Store: s.Store, Rights: find, People: s.Admin,
		Bytes: bytes, Packer: packer, Ambient: s.Ambient, BaseURL: "https://id.example.test"}))
	routes := slices.Concat(desk.Routes(), acts.Routes(), charge.Routes(), looked.Routes(), twin.Routes(), sent.Routes())
	router := httpio.Router{WriteError: web.Error, Areas: []httpio.Area{{Routes: routes}}}
	return peoplesPages{s, sessions, middleware.Chain(middleware.Options{
		Ambient: s.Ambient, Log: slog.New(slog.DiscardHandler), WriteError: web.Error,
	}, router.Handler()), routes, map[string]*http.Cookie{}}
}

func (s *scene) blobs() blobstore.Store {
	s.Helper()
	files, err := blobstore.OpenFiles(s.TempDir(), s.Ambient)
	s.Must(err)
	s.Cleanup(func() { _ = files.Close() })
	return files
}

// open shows a page to somebody; to nobody without an id.
func (p peoplesPages) open(user, path string) *httptest.ResponseRecorder {
	p.Helper()
	return p.serve(user, httptest.NewRequest(http.MethodGet, path, nil))
}

// statements is how often a page asks the database.
func (p peoplesPages) statements(user, path string) int {
	p.Helper()
	tracer := tracing.New(tracing.Options{URL: "http://127.0.0.1:1", Share: 1, Source: p.Ambient,
		Log: slog.New(slog.DiscardHandler)})
	ctx, all := tracer.Request(p.Context(), "")
	p.serve(user, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
	all.End(nil)
	tracer.Close()
	sent, lost := tracer.Counts()
	return int(sent + lost)
}

// press sends a form.
func (p peoplesPages) press(user, path string, pairs ...string) *httptest.ResponseRecorder {
	p.Helper()
	values := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		values.Set(pair[0], pair[1])
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.serve(user, r)
}

func (p peoplesPages) serve(user string, r *http.Request) *httptest.ResponseRecorder {
	p.Helper()
	if user != "" {
		r.AddCookie(p.signedIn(user))
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	return w
}

// signedIn is the cookie of somebody, who signs in once.
func (p peoplesPages) signedIn(user string) *http.Cookie {
	p.Helper()
	if p.cookies[user] == nil {
		w := httptest.NewRecorder()
		_, err := p.sessions.Start(w, httptest.NewRequest(http.MethodGet, "/", nil), storage.User{ID: user},
			storage.ACRPassword, nil, p.Operator().Act)
		p.Must(err)
		p.cookies[user] = w.Result().Cookies()[0]
	}
	return p.cookies[user]
}

// pagesOf are the pages that show what operations of the API tell.
func (s *scene) pagesOf(at thing) map[string]string {
	project := "/files/projects/" + s.tower.ID
	return map[string]string{
		"hub": "/files/hubs/" + s.hub.ID, "project": project,
		"folder": project + "/folders/" + folderURN(at.folder), "item": project + "/items/" + itemURN(at.item),
	}
}

// Rule: FILES-17
func TestWhatTheAPIShowsLeadsToItsPage(t *testing.T) {
	s := newSQLiteScene(t)
	p := s.pages()
	for what, path := range map[string]string{
		"Tower": s.towerURL(), "Outer": s.folderURL(s.outer), "Inner": s.folderURL(s.inner),
		"report.txt": s.itemURL(s.report), "report.txt, version 2": s.versionURL(s.report, "2"),
	} {
		name, _, _ := strings.Cut(what, ",")
		page := s.ok(as(s.editor), path).one(t).Links["webView"].Href
		at, err := url.Parse(page)
		s.Must(err)
		if got := p.open(s.editor, at.EscapedPath()); got.Code != http.StatusOK ||
			!strings.Contains(got.Body.String(), "<bdi>"+name+"</bdi>") {
			t.Errorf("%s leads to %s: %d", what, page, got.Code)
		}
		if got := p.open(s.outsider, at.EscapedPath()); got.Code != http.StatusNotFound {
			t.Errorf("%s, for an outsider: %d", what, got.Code)
		}
	}
}

// Rule: FILES-3
func TestWhoIsNotSignedInIsAskedToAndComesBack(t *testing.T) {
	w := newWorld(t, sqliteURL(t))
	s := newScene(w)
	p := s.pages()
	path := "/files/projects/" + s.tower.ID
	got := p.open("", path)
	to := got.Header().Get("Location")
	if got.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/login?then=%2Ffiles") {
		t.Errorf("%d to %q", got.Code, to)
	}
	if got := p.open(s.editor, path); got.Code != http.StatusOK {
		t.Errorf("signed in: %d", got.Code)
	}
}
