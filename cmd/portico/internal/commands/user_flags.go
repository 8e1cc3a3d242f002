package commands

import (
	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/provider/people"
)

// userFlag returns the flag that a fault is about.
func userFlag(f *fault.Error) string {
	switch f.Source {
	case people.FieldEmail:
		return "--email"
	case people.FieldName:
		return "--name"
	case people.FieldUsername:
		return "--username"
	case people.FieldPassword:
		return "--password-stdin"
	case people.FieldFile:
		return "FILE"
	}
	if f.Reason == people.ReasonField || f.Reason == people.ReasonNoField {
		return "--set " + f.Source
	}
	return ""
}

func parseSettings(texts []string) ([]people.Setting, error) {
	var settings []people.Setting
	for _, text := range texts {
		s, err := people.ParseSetting(text)
		if err != nil {
			return nil, usagef("--set wants field=value, got %q", text)
		}
		settings = append(settings, s)
	}
	return settings, nil
}
