package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/portico-id/portico/provider/clientprofile"
)

// assisted is a person whose assistant reads.
type assisted struct {
	*dock
	file string // what a text file contains

	document string // where one lies that describes a client

	asks int  // how often the person was asked
	lets bool // the hub is opened to whoever asks

	narrow string // what the person is asked for the first time instead; empty: what the assistant says
}

func newAssisted(t *testing.T, settings ...string) *assisted {
	t.Helper()
	return newAssistedOn(t, sqliteURL(t), settings...)
}

// newAssistedOn is newAssisted with a server on a database.
func newAssistedOn(t *testing.T, database string, settings ...string) *assisted {
	t.Helper()
	all := newDocuments(t)
	s := newSite(t, database, append(settings, "MCP=on", all.trust)...)
	s.command("", "policy", "set", "dynamic_registration=open", "metadata_documents=all") // a server at work has a second
	s.spawn()
	a := &assisted{document: all.base + "/client.json", dock: newDock(s, "person@example.test"),
		file: "one\ntwo € three\n" + strings.Repeat("€", 30_000)}
	name := filepath.Join(t.TempDir(), "notes.txt")
	s.must(os.WriteFile(name, []byte(a.file), 0o600))
	s.environ = append(s.environ, "ACCESS_TOKEN="+a.access)
	s.command("", "upload", name, "--server", s.URL, "--project", a.project, "--folder", a.folder)
	return a
}

// signsIn has the person sign in for an assistant, and allow what it asks for.
func (a *assisted) signsIn(_ context.Context, to *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	a.asks++
	a.admits(to.URL)
	p, err := a.person.through(a.person.open(a.narrowed(to.URL)))
	if err == nil && p.Away == nil {
		err = errors.New("still on " + p.At.String() + "\n" + p.Body)
	}
	if err != nil {
		return nil, err
	}
	said := p.Away.Query()
	return &auth.AuthorizationResult{Code: said.Get("code"), State: said.Get("state"), Iss: said.Get("iss")}, nil
}

// admits opens the hub to the assistant that asks.
func (a *assisted) admits(address string) {
	asked, err := url.Parse(address)
	if err != nil || !a.lets {
		return
	}
	if _, err := a.person.open(address); err != nil { // one that a document describes is there from then on
		a.Error(err)
	}
	a.command("", "hub", "provision", clientprofile.ID(asked.Query().Get("client_id")), "--hub", a.hub, "--level", "view")
}

// narrowed asks for less the first time, as an older assistant would.
func (a *assisted) narrowed(address string) string {
	asked, err := url.Parse(address)
	if err != nil || a.narrow == "" {
		return address
	}
	query := asked.Query()
	query.Set("scope", a.narrow)
	asked.RawQuery, a.narrow = query.Encode(), ""
	return asked.String()
}

// connects has the SDK of Go sign in and connect.
func (a *assisted) connects(config auth.AuthorizationCodeHandlerConfig) *mcp.ClientSession {
	a.Helper()
	config.AuthorizationCodeFetcher, config.RequestRefreshToken = a.signsIn, true
	handler, err := auth.NewAuthorizationCodeHandler(&config)
	a.must(err)
	client := mcp.NewClient(&mcp.Implementation{Name: "assistant", Version: "1"}, nil)
	session, err := client.Connect(a.Context(),
		&mcp.StreamableClientTransport{Endpoint: a.URL + "/mcp", OAuthHandler: handler}, nil)
	a.must(err)
	a.Cleanup(func() { _ = session.Close() })
	return session
}

// calls a tool; what it answers goes into v.
func (a *assisted) calls(session *mcp.ClientSession, tool string, arguments map[string]any, v any) {
	a.Helper()
	got, err := session.CallTool(a.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	a.must(err)
	text, _ := json.Marshal(got.StructuredContent)
	if got.IsError {
		a.Fatalf("%s: %+v", tool, got.Content[0])
	}
	a.must(json.Unmarshal(text, v))
}

type listed struct {
	Items []struct {
		ID, Type   string
		Attributes map[string]any
		Tip        string `json:"tip_version_id"`
	}
	Changes []struct{ ID string }
	Cursor  string
}

const anyPort = "http://localhost/callback"

// Rules: MCP-1, MCP-2, MCP-3, MCP-5
func TestTheGoSDKReadsFilesAfterItRegisteredItself(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		a := newAssistedOn(t, database, "ACCESS_TOKEN_LIFETIME=9s") // the SDK renews it ten seconds before: at each request
		a.lets = true                                               // the SDK registers itself anew when it asks for more
		a.narrow = "data:read"
		session := a.connects(auth.AuthorizationCodeHandlerConfig{RedirectURL: "http://localhost:49152/callback",
			DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
				Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Assistant", TokenEndpointAuthMethod: "none",
					RedirectURIs: []string{"http://localhost:49152/callback"},
					GrantTypes:   []string{"authorization_code", "refresh_token"}}}})
		a.reads(session)
		if a.asks != 2 {
			t.Errorf("the person was asked %d times, want once, and once more for what searching takes", a.asks)
		}
	})
}

// Rules: CIMD-1, MCP-3
func TestTheGoSDKReadsFilesAsTheClientOfADocument(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		a := newAssistedOn(t, database, "ACCESS_TOKEN_LIFETIME=9s")
		a.lets, a.narrow = true, "data:read"
		a.reads(a.connects(auth.AuthorizationCodeHandlerConfig{RedirectURL: "http://localhost:49152/callback",
			ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: a.document}}))
		if a.asks != 2 {
			t.Errorf("the person was asked %d times, want once, and once more for what searching takes", a.asks)
		}
	})
}

// reads walks to the file with every tool.
func (a *assisted) reads(session *mcp.ClientSession) {
	a.Helper()
	var hubs, projects, folders, files, known, found listed
	a.calls(session, "list_hubs", nil, &hubs)
	a.calls(session, "list_projects", map[string]any{"hub_id": a.hub}, &projects)
	if len(hubs.Items) != 1 || hubs.Items[0].ID != a.hub || len(projects.Items) != 1 || projects.Items[0].ID != a.project {
		a.Fatalf("hubs %+v, projects %+v", hubs, projects)
	}
	a.calls(session, "list_folder", map[string]any{"hub_id": a.hub, "project_id": a.project}, &folders)
	a.calls(session, "list_folder", map[string]any{"project_id": a.project, "folder_id": a.folder}, &files)
	if len(files.Items) != 1 || files.Items[0].Attributes["displayName"] != "notes.txt" || len(folders.Items) == 0 {
		a.Fatalf("folders %+v, files %+v", folders, files)
	}
	a.calls(session, "read_metadata", map[string]any{"project_id": a.project, "item_id": files.Items[0].ID}, &known)
	a.calls(session, "search", map[string]any{"project_id": a.project, "folder_id": a.folder, "text": "OTES"}, &found)
	if len(found.Items) != 1 || found.Items[0].ID != known.Items[1].ID || known.Items[0].Tip != known.Items[1].ID {
		a.Errorf("found %+v, known %+v", found, known)
	}
	whole := ""
	for offset := 0.0; ; {
		var part struct {
			Text string
			Next float64 `json:"next_offset"`
		}
		a.calls(session, "read_text_file", map[string]any{"project_id": a.project, "version_id": known.Items[1].ID,
			"offset": offset}, &part)
		whole += part.Text
		if offset = part.Next; offset == 0 {
			break
		}
	}
	if whole != a.file {
		a.Errorf("read %d bytes, want %d", len(whole), len(a.file))
	}
	var changes listed
	a.calls(session, "recent_changes", map[string]any{"project_id": a.project}, &changes)
	if len(changes.Changes) == 0 || changes.Cursor == "" {
		a.Errorf("changes %+v", changes)
	}
}

// Rules: MCP-1, MCP-2, MCP-3, MCP-4
func TestTheGoSDKReadsFilesAsARegisteredClient(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		a := newAssistedOn(t, database, "ACCESS_TOKEN_LIFETIME=9s")
		a.narrow = "data:read"
		c := a.register("assistants.md", "http://localhost/callback", anyPort)
		session := a.connects(auth.AuthorizationCodeHandlerConfig{RedirectURL: "http://localhost:50001/callback",
			PreregisteredClient: &oauthex.ClientCredentials{ClientID: c.ID}})
		var hubs listed
		a.calls(session, "list_hubs", nil, &hubs)
		if len(hubs.Items) != 0 {
			t.Errorf("an app that is provisioned nowhere sees %+v", hubs)
		}
		a.command("", "hub", "provision", c.ID, "--hub", a.hub, "--level", "view")
		a.reads(session)
		if a.asks != 2 {
			t.Errorf("the person was asked %d times, want once, and once more for what searching takes", a.asks)
		}
		for tool, arguments := range map[string]map[string]any{
			"list_projects":  {"hub_id": "b.00000000-0000-4000-8000-000000000000"},
			"list_folder":    {"project_id": a.project, "folder_id": a.folder, "next": "/admin/v1/users?x"},
			"read_text_file": {"project_id": a.project, "version_id": "urn:portico:fs.file:vf.AAAAAAAAAAAAAAAAAAAAAA?version=1"},
			"read_metadata":  {"project_id": a.project + "/../..", "item_id": "x"},
		} {
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err == nil && !got.IsError {
				t.Errorf("%s of what is not there: %+v", tool, got.StructuredContent)
			}
		}
		a.command("", "client", "disable", c.ID)
		if got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_hubs"}); err == nil {
			t.Errorf("a disabled client gets %+v", got)
		}
	})
}

// Rules: MCP-1, MCP-4, MCP-10, MCP-12
func TestWhoMayAskAsAnAssistant(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database string) {
		a := newAssistedOn(t, database)
		c := a.client("--redirect-uri", callback, "--scope", "openid data:read data:search")
		a.command("", "hub", "provision", c.ID, "--hub", a.hub, "--level", "view")
		own := a.person.tokens(c, "scope", "openid data:read", "resource", a.URL+"/mcp").text("access_token")
		call := func(method, token, body string) answer {
			r, err := http.NewRequestWithContext(t.Context(), method, a.URL+"/mcp", strings.NewReader(body))
			a.must(err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if token != "" {
				r.Header.Set("Authorization", "Bearer "+token)
			}
			got, err := try(&http.Client{Transport: a.wire}, r)
			a.must(err)
			return got
		}
		const hubs = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_hubs","arguments":{}}}`
		where := `resource_metadata="` + a.URL + `/.well-known/oauth-protected-resource/mcp"`
		for name, c := range map[string]struct {
			token, body string
			status      int
			challenge   string
		}{
			"a token for it":       {own, hubs, 200, ""},
			"no token":             {"", hubs, 401, `scope="data:read data:search"`},
			"a token for the APIs": {a.access, hubs, 401, `error="invalid_token"`},
			"a tool that takes more": {own, strings.Replace(hubs, "list_hubs", "search", 1), 403,
				`scope="data:read data:search"`},
			"what is no call of ours": {own, "{", 400, ""},
			"too much":                {own, strings.Repeat(" ", 1<<20+1), 413, ""},
		} {
			got := call("POST", c.token, c.body)
			challenge := got.Header.Get("WWW-Authenticate")
			if got.Status != c.status || !strings.Contains(challenge, c.challenge) ||
				c.challenge != "" && !strings.Contains(challenge, where) {
				t.Errorf("%s: %d %s, challenge %s", name, got.Status, got.Body, challenge)
			}
		}
		for _, method := range []string{"GET", "DELETE"} { // clients open a stream where they are not told that there is none
			if got := call(method, own, ""); got.Status != http.StatusMethodNotAllowed {
				t.Errorf("%s: %d %s", method, got.Status, got.Body)
			}
		}
		a.eventually("the page for people says where, and by what policy", func() bool {
			page := a.person.fetch("GET", "/account/assistants").Body
			return strings.Contains(page, ">"+a.URL+"/mcp<") && strings.Contains(page, "makes itself known here by itself")
		})
		if got := a.bearing(own, "GET", "/project/v1/hubs", ""); got.Status != http.StatusUnauthorized {
			t.Errorf("a token for assistants opens the API: %d", got.Status)
		}
	})
}
