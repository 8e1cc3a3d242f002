package commands

import (
	"github.com/spf13/cobra"

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
	return settings, once(settings)
}

// identified returns what the flags say that are fields, too.
func identified(command *cobra.Command) (settings []people.Setting) {
	for flag, field := range map[string]string{"email": people.FieldEmail, "name": people.FieldName,
		"username": people.FieldUsername, "email-verified": people.FieldEmailVerified} {
		if given := command.Flags().Lookup(flag); given != nil && given.Changed {
			settings = append(settings, people.Setting{Field: field, Value: given.Value.String()})
		}
	}
	return settings
}

// once refuses a field that is given twice: of its values one would be passed over.
func once(settings []people.Setting) error {
	all := map[string]string{}
	for _, s := range settings {
		if err := put(all, s.Field, s.Value); err != nil {
			return err
		}
	}
	return nil
}
