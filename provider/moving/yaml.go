package moving

import (
	"errors"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
)

// documents reads those of files of YAML. One of them must have one of the names: files in
// which there is nothing for us are none of the product.
func documents(product string, files []io.Reader, read func(*yaml.Node) error, names ...string) error {
	known := false
	for _, file := range files {
		for decoder := yaml.NewDecoder(file); ; {
			has, err := document(decoder, read)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return unreadable(product, err)
			}
			known = known || slices.ContainsFunc(names, func(name string) bool { return has[name].Kind != 0 })
		}
	}
	if !known {
		return unreadable(product, nil)
	}
	return nil
}

// document reads the next one, and returns what stands in it by its names.
func document(decoder *yaml.Decoder, read func(*yaml.Node) error) (has map[string]yaml.Node, err error) {
	var one yaml.Node
	if err := decoder.Decode(&one); err != nil {
		return nil, err
	}
	if err := one.Decode(&has); err != nil {
		return nil, err
	}
	return has, read(&one)
}
