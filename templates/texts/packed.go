package texts

import (
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"

	"golang.org/x/text/language"
)

// What is said lies in the binary as small as it can: the files that people write, of one
// language each, in one. "go test ./templates/texts -update" packs them.
//
//go:embed packed/*.json.gz
var files embed.FS

// packed is all messages of a language by their keys.
type packed struct {
	Words map[string]string            `json:"words"`
	Forms map[string]map[string]string `json:"forms"` // of those with a number, by the plural forms of the language
}

func packedName(tag string) string { return "packed/" + tag + ".json.gz" }

// read returns all messages of a language by their keys.
func read(tag language.Tag) (map[string]message, error) {
	all, err := unpack(packedName(tag.String()))
	if err != nil {
		return nil, fmt.Errorf("reading the texts in %s: %w", tag, err)
	}
	return all, nil
}

func unpack(name string) (map[string]message, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var p packed
	if err := json.NewDecoder(plain).Decode(&p); err != nil {
		return nil, err
	}
	return p.messages(), nil
}

func (p packed) messages() map[string]message {
	all := make(map[string]message, len(p.Words))
	for key, words := range p.Words {
		all[key] = message{words: words, forms: p.Forms[key]}
	}
	return all
}
