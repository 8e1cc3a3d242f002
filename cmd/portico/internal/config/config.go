// Package config is every setting of Portico: one table (Settings), one struct
// (Config) and one loader (Load) that reports all faults at once.
//
// Sources, each overriding the one before: defaults, for the command line what
// the server on the database was set to, the YAML file, the environment, the
// flags of `portico serve`. The package opens nothing but the
// files that settings name; what the settings mean is for cmd/portico/internal/app to act
// on. Start at settings.go.
package config

import (
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/portico-id/portico/internal/ratelimit"
	"github.com/portico-id/portico/internal/sealing"
)

// Config is the whole configuration, checked.
type Config struct {
	Listen             []string       // host:port
	BaseURL            string         // issuer and prefix of every link; empty: localhost and the first listener's port
	DatabaseURL        sealing.Secret // sqlite:PATH or postgres://…
	DatabasePool       int            // connections, at most
	DatabasePooler     bool           // one stands between, which gives each transaction another connection
	DatabaseUnprepared bool           // it knows nothing of prepared statements
	DatabaseNotify     sealing.Secret // where notices of changes come over; empty: DatabaseURL
	DataDir            string
	Secret             sealing.Secret // at least sealing.MinSecret bytes; empty: none was given
	SecretPrevious     sealing.Secret // what Secret replaces
	TLS                TLS
	TrustedProxies     []netip.Prefix
	OwnNetworks        []netip.Prefix // that what people have the server call may lead to beside public addresses
	RedisURL           sealing.Secret
	RateLimits         ratelimit.Rates // calls a minute by class; nil: off
	RequestLimit       time.Duration   // of the work of a request
	LameDuck           time.Duration   // between the word to stop and no longer listening
	Drain              time.Duration   // for requests in flight after that
	AuditRetention     time.Duration   // how long an event stays in the trail; 0: for ever

	MCP                       bool   // assistants may read what the people may whom they act for
	DPoPNonces                bool   // a proof of possession has to quote a nonce of the server
	TokenAudience             string // of access tokens; empty: the issuer
	AssertionAudiences        []string
	ServiceAccountEmailDomain string
	ServiceAccountExpiry      time.Duration // of an account that is not used
	URNNamespace              string
	Lifetimes                 Lifetimes

	Brand         Brand
	Signup        string   // closed, invite or open
	SecondFactor  string   // who must have one, as package policy has it; empty, as the next two: not said here
	RegisterApps  string   // who may register apps
	AppsPerPerson string   // how many
	SignupDomains []string // of addresses that may be signed up with or invited; none: all
	SMTPURL       sealing.Secret
	MailFrom      string // empty: see Sender
	Delivers      bool   // mails reach people; on the command line: those of the server on the database
	S3            S3
	Antivirus     string   // address of the virus scanner; empty: none
	AntivirusMode string   // block or serve
	MetricsListen []string // host:port, for metrics alone; none: nothing is counted
	TracesURL     string   // of a collector of traces; empty: none
	TracesShare   float64  // of requests that are traced, 0 to 1
	AdminEmail    string
	AdminPassword sealing.Secret

	Files map[string]string // by the name of a secret setting: the file that it came from
}

// Lifetimes is how long what is issued lasts (S1 section 8 has the defaults).
type Lifetimes struct {
	Code         time.Duration
	IDToken      time.Duration
	AccessToken  time.Duration
	RefreshToken time.Duration
	RefreshGrace time.Duration // how long a spent refresh token may be retried

	// How long the refresh tokens of one grant go on, for clients of profile
	// standard and of profile platform; 0: without end.
	Grant, GrantPlatform time.Duration

	SessionIdle, SessionAbsolute time.Duration // how long a sign-in goes on unused, and at all
}

// TLS is what the server speaks TLS with, all in files: nothing when a proxy does
// that for it.
type TLS struct {
	Cert, Key    string
	ClientCA     string   // whose certificates clients have
	ClientListen []string // host:port where clients must have one
	ClientAny    bool     // of any authority, or of none
	ClientHeader string   // in which proxies tell clients' certificates; empty: none
	ClientURL    string   // where clients with certificates reach the server; empty: nowhere else
}

// S3 is where files go when they do not stay in the data directory.
type S3 struct {
	Endpoint, Bucket, Region string
	AccessKey, SecretKey     sealing.Secret
}

// Used reports whether files go there.
func (s S3) Used() bool { return s.Bucket != "" }

// KeepGrants is how long a grant that ended is kept: an access token asks for its grant,
// and may outlive its refresh token.
func (c Config) KeepGrants() time.Duration { return c.Lifetimes.AccessToken + time.Hour }

const sqlitePrefix = "sqlite:"

// SQLite reports whether the database is a local file.
func (c Config) SQLite() bool {
	return strings.HasPrefix(c.DatabaseURL.Reveal(), sqlitePrefix)
}

// SecretFile is where the secret that the server makes for itself is kept.
func (c Config) SecretFile() string {
	return filepath.Join(c.DataDir, "secret")
}

func (c *Config) noteFile(name, path string) {
	if c.Files == nil {
		c.Files = map[string]string{}
	}
	c.Files[name] = path
}

// OwnURL is where the server is reached from its own machine.
func (c Config) OwnURL() string {
	scheme := "http://"
	if c.TLS.Cert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(c.Listen[0])
	if err != nil {
		return scheme + c.Listen[0] // can't be: it was checked
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, port)
}
