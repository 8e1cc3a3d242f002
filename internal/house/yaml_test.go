package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// switches are the bare words that readers of YAML 1.1, which many tools are,
// take for true or false (https://yaml.org/type/bool.html).
var switches = regexp.MustCompile(`^(y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`)

// description returns the root of a description.
func description(t *testing.T, name string) *yaml.Node {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs/openapi", name))
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return document.Content[0]
}

// doubtful returns the scalars that YAML 1.1 reads otherwise than 1.2: every bare
// switch, but for true and false where no name is meant.
func doubtful(n *yaml.Node) []*yaml.Node {
	var all []*yaml.Node
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		bare := child.Kind == yaml.ScalarNode && child.Style == 0 && switches.MatchString(child.Value)
		if bare && (isKey || child.Value != "true" && child.Value != "false") {
			all = append(all, child)
		}
		all = append(all, doubtful(child)...)
	}
	return all
}

// Rule: DISC-9
func TestDescriptionsSayTheSameToReadersOfYAML11(t *testing.T) {
	for name := range descriptions() {
		for _, n := range doubtful(description(t, name)) {
			t.Errorf("%s, line %d: %q is a boolean in YAML 1.1: quote it", name, n.Line, n.Value)
		}
	}
	var bad, good yaml.Node
	for text, into := range map[string]*yaml.Node{
		"on: 1\na: {Off: 1, b: [yes, x]}\ny: no\ntrue: 1":   &bad,
		"'on': true\na: {\"off\": false, b: ['yes', only]}": &good,
	} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	if n, none := len(doubtful(&bad)), len(doubtful(&good)); n != 6 || none != 0 {
		t.Errorf("%d of 6 found, and %d where none is", n, none)
	}
}

// member returns what a mapping has under the name, nil for nothing.
func member(n *yaml.Node, way ...string) *yaml.Node {
	for _, name := range way {
		var next *yaml.Node
		for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				next = n.Content[i+1]
			}
		}
		n = next
	}
	return n
}

// Rule: SERVER-27
func TestEveryOutageIsDescribedWithItsRetryAfter(t *testing.T) {
	for name := range descriptions() {
		document := description(t, name)
		var look func(n *yaml.Node)
		look = func(n *yaml.Node) {
			for i, child := range n.Content {
				look(child)
				if n.Kind != yaml.MappingNode || i%2 == 1 || child.Value != "503" {
					continue
				}
				response := n.Content[i+1]
				if ref := member(response, "$ref"); ref != nil {
					response = member(document, strings.Split(ref.Value, "/")[1:]...)
				}
				if member(response, "headers", "Retry-After") == nil {
					t.Errorf("%s, line %d: a 503 without Retry-After", name, child.Line)
				}
			}
		}
		look(document)
	}
}
