package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/portico-id/portico/internal/sealing"
)

// Sources is where settings may come from. Tests give their own.
type Sources struct {
	Environ []string          // NAME=value, as os.Environ returns it
	Flags   map[string]string // by the flag's name, only those that were given
	Server  map[string]string // Config.Shared of the server whose database a command works on
}

// given is one value of one setting before it is understood.
type given struct {
	setting Setting // of a secret that came as a file: setting.File()
	value   string
	label   string // how the source calls it: PORTICO_LISTEN, --listen, listen in FILE
}

// Load returns the configuration. The error is a *Faults with everything that
// is wrong.
func Load(sources Sources) (Config, error) {
	l := loader{values: map[string]given{}}
	l.readServer(sources.Server)
	l.readFile(sources)
	l.readEnviron(sources.Environ)
	l.readFlags(sources.Flags)
	config := l.build()
	config.Delivers = config.SMTPURL != "" || sources.Server["MAIL_FROM"] != ""
	if len(l.faults.List) > 0 {
		return Config{}, &l.faults
	}
	return config, nil
}

type loader struct {
	values map[string]given // by plainName; later sources replace earlier ones
	faults Faults
}

// accepted returns every way to give a setting, by the name that spell makes.
func accepted(spell func(Setting) string) map[string]Setting {
	names := map[string]Setting{}
	for _, s := range Settings() {
		names[spell(s)] = s
		if s.Secret {
			names[spell(s.File())] = s.File()
		}
	}
	return names
}

// readServer takes what the server on a database was set to; settings that only
// its version knows are passed over.
func (l *loader) readServer(settings map[string]string) {
	known := accepted(func(s Setting) string { return s.Name })
	var layer []given
	for name, value := range settings {
		if setting, ok := known[name]; ok {
			layer = append(layer, given{setting, value, setting.Env() + " of the server, kept in the database"})
		}
	}
	l.add(layer)
}

func (l *loader) readEnviron(environ []string) {
	known := accepted(Setting.Env)
	var layer []given
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || name == ConfigFile().Env() {
			continue
		}
		setting, ok := known[name]
		if !ok {
			l.faults.unknown(name, known)
			continue
		}
		layer = append(layer, given{setting, value, name})
	}
	l.add(layer)
}

func (l *loader) readFlags(flags map[string]string) {
	known := accepted(Setting.Flag)
	var layer []given
	for name, value := range flags {
		if setting, ok := known[name]; ok {
			layer = append(layer, given{setting, value, "--" + name})
		}
	}
	l.add(layer)
}

// add lays one source over those before it. An empty value counts as not
// given.
func (l *loader) add(layer []given) {
	seen := map[string]given{}
	for _, g := range layer {
		if g.value == "" {
			continue
		}
		plain := plainName(g.setting)
		if other, twice := seen[plain]; twice && other.label != g.label {
			names := []string{g.label, other.label}
			slices.Sort(names)
			l.faults.add(names[0], "given together with "+names[1]+"; expected one of the two")
			continue
		}
		seen[plain] = g
		l.values[plain] = g
	}
}

// plainName is the name of the setting behind its _FILE form, or its old name.
func plainName(s Setting) string {
	if s.Now != "" {
		return s.Now
	}
	if s.FileOnly {
		return strings.TrimSuffix(s.Name, fileSuffix)
	}
	return s.Name
}

// build applies defaults and then what was given.
func (l *loader) build() Config {
	var c Config
	for _, s := range Settings() {
		g, ok := l.values[plainName(s)]
		if !ok && s.Default == "" || s.Now != "" { // what came by an old name stands under the present one
			continue
		}
		if !ok {
			g = given{s, s.Default, "default of " + s.Env()}
		}
		l.apply(&c, g)
	}
	if c.DatabaseURL == "" {
		c.DatabaseURL = sealing.Secret(sqlitePrefix + filepath.Join(c.DataDir, "portico.db"))
	}
	l.checkTogether(c)
	return c
}

func (l *loader) apply(c *Config, g given) {
	value := g.value
	if g.setting.FileOnly {
		content, err := os.ReadFile(value)
		if err != nil {
			l.faults.add(g.label, "the file can't be read: "+cause(err))
			return
		}
		c.noteFile(plainName(g.setting), value)
		value = trimNewline(content)
	}
	if value == "" {
		l.faults.add(g.label, "the file is empty")
		return
	}
	err := g.setting.apply(c, value)
	if err == nil {
		return
	}
	if g.setting.Secret || g.setting.FileOnly {
		l.faults.add(g.label, err.Error())
		return
	}
	l.faults.given(g.label, value, err.Error())
}

// checkTogether holds the rules about more than one setting.
func (l *loader) checkTogether(c Config) {
	_, email := l.values["ADMIN_EMAIL"]
	_, password := l.values["ADMIN_PASSWORD"]
	if email != password {
		l.faults.add(envPrefix+"ADMIN_EMAIL", "expected together with "+envPrefix+"ADMIN_PASSWORD_FILE, or neither")
	}
	l.checkAllOrNone("since files are to go to an object store", "S3_ENDPOINT", "S3_BUCKET",
		"S3_ACCESS_KEY", "S3_SECRET_KEY")
	l.checkAllOrNone("since the server is to speak TLS", "TLS_CERT", "TLS_KEY")
	l.checkClients(c)
	if c.DatabaseNotify != "" && c.SQLite() {
		l.faults.add(envPrefix+"DATABASE_NOTIFY_URL", "expected only with a database in PostgreSQL")
	}
	if c.Secret != "" && c.Secret == c.SecretPrevious {
		l.faults.add(envPrefix+"SECRET_PREVIOUS", "expected another value than "+envPrefix+"SECRET")
	}
}

// checkClients holds what is said of clients' certificates together.
func (l *loader) checkClients(c Config) {
	listens := len(c.TLS.ClientListen) > 0
	for _, missing := range []struct {
		name string
		is   bool
	}{
		{"TLS_CERT", listens && c.TLS.Cert == ""},
		{"TLS_CLIENT_CA", listens && c.TLS.ClientCA == ""},
		{"TLS_CLIENT_LISTEN", !listens && c.TLS.ClientHeader == "" &&
			(c.TLS.ClientCA != "" || c.TLS.ClientAny || c.TLS.ClientURL != "")},
		{"TRUSTED_PROXIES", c.TLS.ClientHeader != "" && len(c.TrustedProxies) == 0},
	} {
		if missing.is {
			l.faults.add(envPrefix+missing.name, "expected too, since clients are to have certificates")
		}
	}
}

// checkAllOrNone refuses some of the settings without the others.
func (l *loader) checkAllOrNone(why string, names ...string) {
	var missing []string
	for _, name := range names {
		if _, given := l.values[name]; !given {
			missing = append(missing, envPrefix+name)
		}
	}
	if len(missing) > 0 && len(missing) < len(names) {
		l.faults.add(missing[0], "expected too, "+why)
	}
}

// trimNewline returns a file's content without the line ends that editors add.
func trimNewline(content []byte) string {
	return strings.TrimRight(string(content), "\r\n")
}
