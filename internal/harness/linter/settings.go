//go:build linter

package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// settings is of golangci-lint's configuration what ours has. Whatever else stands in the file
// is an error, so that nothing there is without effect.
type settings struct {
	Version string
	Run     struct{ Timeout string }
	Linters struct {
		Default  string
		Enable   []string
		Settings struct {
			Errcheck struct {
				ExcludeFunctions []string `yaml:"exclude-functions"`
			}
			Nolintlint struct {
				Explained bool `yaml:"require-explanation"`
				Specific  bool `yaml:"require-specific"`
			}
			Staticcheck struct{ Checks []string }
			Revive      struct {
				Rules []struct {
					Name      string
					Arguments []any
				}
			}
		}
		Exclusions struct{ Rules []exclusion }
	}
	Issues struct {
		PerLinter int `yaml:"max-issues-per-linter"`
		Same      int `yaml:"max-same-issues"`
	}
}

// exclusion is what is not to be told: of the linters, in files of the path, with the text.
type exclusion struct {
	Linters    []string
	Path, Text string

	path, text *regexp.Regexp
}

// standard are the linters that golangci-lint's "default: standard" means.
func standard() []string {
	return []string{"errcheck", "govet", "ineffassign", "staticcheck", "unused"}
}

func readSettings(file string) (*settings, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &settings{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	lint := s.Linters.Settings.Nolintlint
	isLimited := s.Issues.PerLinter != 0 || s.Issues.Same != 0
	if s.Version != "2" || s.Linters.Default != "standard" || !lint.Explained || !lint.Specific || isLimited {
		return nil, fmt.Errorf("%s: only version 2, the default \"standard\", explained and specific exceptions and "+
			"issues without limits are understood", file)
	}
	for i := range s.Linters.Exclusions.Rules {
		if err := s.Linters.Exclusions.Rules[i].compile(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return s, nil
}

func (e *exclusion) compile() (err error) {
	if e.path, err = regexp.Compile(e.Path); err == nil {
		e.text, err = regexp.Compile(e.Text)
	}
	return err
}

// names are those of all linters that are to be asked.
func (s *settings) names() []string { return append(standard(), s.Linters.Enable...) }

func (s *settings) excludes(f finding) bool {
	return slices.ContainsFunc(s.Linters.Exclusions.Rules, func(e exclusion) bool {
		return slices.Contains(e.Linters, f.linter) && e.path.MatchString(f.at.Filename) && e.text.MatchString(f.text)
	})
}
