package commands

import (
	"github.com/spf13/pflag"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

// sharedSettings are the settings that say where the data is: every command
// has them as flags.
func sharedSettings() []config.Setting {
	var shared []config.Setting
	for _, s := range config.Flags() {
		switch s.Name {
		case "CONFIG", "DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE":
			shared = append(shared, s)
		}
	}
	return shared
}

const settingAnnotation = "setting"

func addSetting(flags *pflag.FlagSet, s config.Setting) {
	help := s.Help
	if s.Secret {
		help += " Other users of the machine can see flags: prefer --" + s.File().Flag() + "."
	}
	switch {
	case s.Default != "":
		help += " Default " + s.Default + "."
	case s.Note != "":
		help += " Default: " + s.Note + "."
	}
	flags.String(s.Flag(), "", help)
	flags.Lookup(s.Flag()).Annotations = map[string][]string{settingAnnotation: {s.Name}}
}
