package texts

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

var update = flag.Bool("update", false, "pack the texts anew")

// other is the form that each message with a number has in each language.
const other = "other"

// Rule: LANG-1
func TestTheTextsThatAreSaidAreThoseThatAreWritten(t *testing.T) {
	for _, tag := range Tags() {
		said, err := unpack(packedName(tag))
		written := writtenIn(t, tag)
		if err == nil && reflect.DeepEqual(said, written) {
			continue
		}
		if !*update {
			t.Errorf("%s: the texts differ from what is packed (%v): go test ./templates/texts -update", tag, err)
			continue
		}
		var packing bytes.Buffer
		small, err := gzip.NewWriterLevel(&packing, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(small).Encode(pack(written)); err != nil {
			t.Fatal(err)
		}
		if err := small.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(packedName(tag), packing.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// writtenIn returns the messages of a language as the files that people write have them.
func writtenIn(t *testing.T, tag string) map[string]message {
	t.Helper()
	all := map[string]message{}
	for _, name := range writtenFiles(t, tag) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := toml.Unmarshal(text, &file); err != nil {
			t.Fatalf("reading %s: %v", name, err)
		}
		gather(all, "", file)
	}
	return all
}

func writtenFiles(t *testing.T, tag string) []string {
	t.Helper()
	names, err := filepath.Glob("*." + tag + ".toml")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}

// pack is what messages of packed undoes.
func pack(all map[string]message) packed {
	p := packed{Words: make(map[string]string, len(all)), Forms: map[string]map[string]string{}}
	for key, m := range all {
		p.Words[key] = m.words
		if m.forms != nil {
			p.Forms[key] = m.forms
		}
	}
	return p
}

// gather takes the messages out of a table of a file: texts, tables of plural
// forms, and tables of both, whose names come before theirs.
func gather(into map[string]message, prefix string, table map[string]any) {
	for name, value := range table {
		switch v := value.(type) {
		case string:
			into[prefix+name] = message{words: v}
		case map[string]any:
			if words, ok := v[other].(string); ok {
				into[prefix+name] = message{words: words, forms: plurals(v)}
				continue
			}
			gather(into, prefix+name+".", v)
		}
	}
}

func plurals(table map[string]any) map[string]string {
	forms := map[string]string{}
	for form, value := range table {
		forms[form], _ = value.(string)
	}
	return forms
}
