package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readFile reads the YAML file, if one is named by a flag or, failing that, by
// the environment.
func (l *loader) readFile(sources Sources) {
	setting := ConfigFile()
	name, label := sources.Flags[setting.Flag()], "--"+setting.Flag()
	if name == "" {
		label = setting.Env()
		for _, entry := range sources.Environ {
			if value, ok := strings.CutPrefix(entry, label+"="); ok {
				name = value
			}
		}
	}
	if name == "" {
		return
	}
	content, err := os.ReadFile(name)
	if err != nil {
		l.faults.given(label, name, "the file can't be read: "+cause(err))
		return
	}
	l.readYAML(name, content)
}

func (l *loader) readYAML(file string, content []byte) {
	// The parser's own messages may quote values: only its word that the file
	// is malformed is passed on, with the line.
	documents, err := documentsOf(content)
	if err != nil {
		l.faults.add(file, "expected YAML: "+yamlLine(err))
		return
	}
	if len(documents) > 1 {
		l.faults.add(file, "expected one YAML document, and there are more")
		return
	}
	if len(documents) == 0 {
		return
	}
	top := documents[0]
	if top.Kind != yaml.MappingNode {
		l.faults.add(file, "expected settings as NAME: VALUE")
		return
	}
	known := accepted(Setting.Key)
	seen := map[string]bool{}
	var layer []given
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, node := top.Content[i], top.Content[i+1]
		label := fmt.Sprintf("%s in %s, line %d", key.Value, file, key.Line)
		setting, ok := known[key.Value]
		if !ok {
			l.faults.unknown(label, known)
			continue
		}
		if seen[key.Value] {
			l.faults.add(label, "given twice")
			continue
		}
		seen[key.Value] = true
		value, ok := scalar(node)
		if !ok {
			l.faults.add(label, "expected a value or a list of values")
			continue
		}
		layer = append(layer, given{setting, value, label})
	}
	l.add(layer)
}

// documentsOf returns the documents of a file in which there is anything: behind the --- that
// ends what some write there is nothing.
func documentsOf(content []byte) (all []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var one yaml.Node
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(one.Content) > 0 && one.Content[0].Tag != "!!null" {
			all = append(all, one.Content[0])
		}
	}
}

// scalar returns a value, or the values of a list joined by commas.
func scalar(node *yaml.Node) (string, bool) {
	switch node.Kind {
	case yaml.ScalarNode:
		if node.Tag == "!!null" {
			return "", true
		}
		return node.Value, true
	case yaml.SequenceNode:
		items := make([]string, 0, len(node.Content))
		for _, item := range node.Content {
			if item.Kind != yaml.ScalarNode {
				return "", false
			}
			items = append(items, item.Value)
		}
		return strings.Join(items, ","), true
	default:
		return "", false
	}
}

func yamlLine(err error) string {
	text := err.Error()
	if _, after, found := strings.Cut(text, "line "); found {
		line, _, _ := strings.Cut(after, ":")
		return "malformed at line " + line
	}
	return "malformed"
}

// cause returns why a file can't be read, without its name.
func cause(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
