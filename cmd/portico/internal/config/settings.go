package config

import (
	"strings"

	"github.com/portico-id/portico/internal/contrast"
	"github.com/portico-id/portico/internal/sealing"
)

// Setting is one row of the table of settings.
type Setting struct {
	Name     string // as in BASE_URL; Env, Flag and Key follow from it
	Help     string // one sentence; also says what a value looks like
	Default  string // as it would be written; may be empty
	Note     string // what the default means when it can't be written as a value
	Secret   bool   // never shown; may be given as the name of a file instead
	FileOnly bool   // the value is the name of a file that holds the secret
	Now      string // the setting that this is the old name of

	apply func(*Config, string) error // the error says what is wrong, not what was given
}

const (
	envPrefix  = "PORTICO_"
	fileSuffix = "_FILE"
)

// Env is the setting's environment variable, such as PORTICO_BASE_URL.
func (s Setting) Env() string { return envPrefix + s.Name }

// Key is the setting's key in the YAML file, such as base_url.
func (s Setting) Key() string { return strings.ToLower(s.Name) }

// Flag is the setting's flag of `portico serve`, such as base-url.
func (s Setting) Flag() string { return strings.ReplaceAll(s.Key(), "_", "-") }

// File is the setting of the same value by the name of a file that holds it.
func (s Setting) File() Setting {
	s.Help = "File that holds " + s.Env() + "."
	s.Name += fileSuffix
	s.Secret, s.FileOnly, s.Default, s.Note = false, true, "", ""
	return s
}

// ConfigFile is the setting that names the YAML file. It stands apart: it can't
// be in that file itself.
func ConfigFile() Setting {
	return Setting{
		Name: "CONFIG",
		Help: "YAML file with settings, by their names in lower case without the prefix.",
		Note: "none",
	}
}

// Settings returns every setting but ConfigFile, in the order of the manual.
func Settings() []Setting {
	return append(append(serverSettings(), tokenSettings()...), featureSettings()...)
}

func serverSettings() []Setting {
	return []Setting{
		{Name: "LISTEN", Default: "127.0.0.1:8080,[::1]:8080", apply: applyListen,
			Help: "Addresses to listen on, host:port, separated by commas."},
		{Name: "BASE_URL", apply: applyBaseURL, Note: "http://localhost with the first port of PORTICO_LISTEN",
			Help: "Where the world reaches this server, as in https://id.example.test: the issuer, byte for byte, and the prefix of every link. Plain http only for localhost, 127.0.0.1 and [::1]."},
		{Name: "DATA_DIR", Default: "data", apply: applyDataDir,
			Help: "Directory for what the server keeps in files."},
		{Name: "DATABASE_URL", Secret: true, apply: applyDatabaseURL, Note: "sqlite:portico.db in PORTICO_DATA_DIR",
			Help: "Database: sqlite:PATH or postgres://user:password@host/name; several hosts as in host1:5432,host2:5432. A file is read again for each new connection."},
		{Name: "DATABASE_POOL", Default: "16", apply: applyPool,
			Help: "Connections to PostgreSQL, 1 to 1000."},
		{Name: "DATABASE_POOLER", Default: "off", apply: applyPooler,
			Help: "on where a pooler in transaction mode, such as pgbouncer, stands before PostgreSQL: no prepared statements, and no limits of time set by us; prepared where it knows of prepared statements, as pgbouncer does from 1.21 on with max_prepared_statements."},
		{Name: "DATABASE_NOTIFY_URL", Secret: true, apply: applyNotifyURL,
			Note: "PORTICO_DATABASE_URL; with PORTICO_DATABASE_POOLER none",
			Help: "PostgreSQL itself, where PORTICO_DATABASE_URL leads to a pooler: servers hear there at once what others change. Without it they look each half second."},
		{Name: "SECRET", Secret: true, apply: applySecret,
			Note: "on SQLite, made once and kept in PORTICO_DATA_DIR; on PostgreSQL it must be given",
			Help: "At least 32 bytes that nobody can guess; seals the signing keys. Every server on one database needs the same."},
		{Name: "SECRET_PREVIOUS", Secret: true, apply: applySecretPrevious, Note: "none",
			Help: "The secret that PORTICO_SECRET replaces: what it sealed is opened with it and sealed again."},
		{Name: "TLS_CERT", apply: text(func(c *Config) *string { return &c.TLS.Cert }),
			Note: "plain http, for a proxy that speaks TLS",
			Help: "PEM file of the server's certificate and those between it and its authority; read again when it changes."},
		{Name: "TLS_KEY", apply: text(func(c *Config) *string { return &c.TLS.Key }), Note: "none",
			Help: "PEM file of the certificate's key."},
		{Name: "TLS_CLIENT_CA", apply: text(func(c *Config) *string { return &c.TLS.ClientCA }), Note: "none",
			Help: "PEM file of the authorities whose certificates clients have, at PORTICO_TLS_CLIENT_LISTEN or in PORTICO_TLS_CLIENT_HEADER."},
		{Name: "TLS_CLIENT_LISTEN", apply: applyClientListen, Note: "none",
			Help: "Further addresses, host:port, separated by commas, where only clients with a certificate are let in."},
		{Name: "TLS_CLIENT_ANY", Default: "off", apply: onOff(func(c *Config) *bool { return &c.TLS.ClientAny }),
			Help: "on: any certificate is let in there, for apps that have registered the key of their own (self_signed_tls_client_auth); off."},
		{Name: "TLS_CLIENT_HEADER", apply: applyClientHeader, Note: "none",
			Help: "Header in which PORTICO_TRUSTED_PROXIES tell the certificate of a client, as in Client-Cert (RFC 9440); escaped PEM (nginx) and base64 (HAProxy) are read too. From anybody else it is taken off."},
		{Name: "TLS_CLIENT_URL", apply: applyClientURL, Note: "none",
			Help: "Where clients with certificates reach this server, as in https://mtls.id.example.test: told as mtls_endpoint_aliases, so that browsers are asked for none."},
		{Name: "TRUSTED_PROXIES", apply: applyTrustedProxies, Note: "none",
			Help: "Addresses or networks (10.0.0.0/8), separated by commas, whose Forwarded, X-Forwarded-For and X-Request-Id are believed."},
		{Name: "OWN_NETWORKS", apply: applyOwnNetworks, Note: "none",
			Help: "Addresses or networks (10.0.0.0/8), separated by commas, that webhooks, back-channel logouts and whatever else people have the server call may lead to beside public addresses; over plain http, too."},
		{Name: "WEBHOOK_NETWORKS", Now: "OWN_NETWORKS", apply: applyOwnNetworks, Note: "none",
			Help: "The name that PORTICO_OWN_NETWORKS had: it goes on working, but not beside the new one."},
		{Name: "RATE_LIMITS", Default: "on", apply: applyRateLimits,
			Help: "on (500 calls a minute of authorize, token, introspect and logout, 100 of revoke, 10 of accounts, which are the forms that have mails sent, and of apps, which are those that a person registers, and of register, which are clients that register themselves, 3000 of scim, for each company), off, or what differs, as in token=2000,revoke=0; 0: any number."},
		{Name: "REQUEST_LIMIT", Default: "10s", apply: requestLimit,
			Help: "How long a request may wait for the database or another part before it is answered with 503, 1s to 60s. Uploads and downloads may take as long as something moves."},
		{Name: "LAME_DUCK", Default: "3s", apply: lameDuck,
			Help: "How long a server that was told to stop goes on taking requests while /readyz says that it stops, 0s to 5m; nobody waits where nobody asks /readyz."},
		{Name: "DRAIN_TIME", Default: "40s", apply: drain,
			Help: "How long requests in flight may take after that, uploads too, 1s to 1h."},
		{Name: "AUDIT_RETENTION", Default: "0s", apply: auditRetention,
			Help: "How long an event stays in the audit trail, 1d to 3650d; 0s: for ever. Before it goes it is written to a file of its month in audit in PORTICO_DATA_DIR, of whichever server does it: let several share that folder, or gather it from all."},
		{Name: "ADMIN_EMAIL", apply: applyAdminEmail, Note: "none",
			Help: "E-mail address of the first administrator, who is created only while there is none."},
		{Name: "ADMIN_PASSWORD_FILE", FileOnly: true, apply: applyAdminPassword, Note: "none",
			Help: "File that holds the first administrator's password."},
	}
}

func tokenSettings() []Setting {
	return []Setting{
		{Name: "TOKEN_AUDIENCE", apply: applyTokenAudience, Note: "the issuer",
			Help: "The aud claim of access tokens."},
		{Name: "CODE_LIFETIME", Default: "5m", apply: codeLifetime,
			Help: "How long an authorization code can be redeemed, 1s to 5m."},
		{Name: "ID_TOKEN_LIFETIME", Default: "60m", apply: idTokenLifetime,
			Help: "How long an ID token is valid, 1s to 24h."},
		{Name: "ACCESS_TOKEN_LIFETIME", Default: "60m", apply: accessTokenLifetime,
			Help: "How long an access token is valid, 1s to 24h."},
		{Name: "REFRESH_TOKEN_LIFETIME", Default: "15d", apply: refreshTokenLifetime,
			Help: "How long a refresh token is valid after its issue, 1s to 365d."},
		{Name: "GRANT_LIFETIME", Default: "90d", apply: grantLifetime,
			Help: "How long an app of profile standard keeps, by refreshing, the access that a person gave it once, 0s to 3650d; 0s: without end. Counts for access given from then on."},
		{Name: "GRANT_LIFETIME_PLATFORM", Default: "0s", apply: grantLifetimePlatform,
			Help: "The same for apps of profile platform."},
		{Name: "MCP", Default: "off", apply: onOff(func(c *Config) *bool { return &c.MCP }),
			Help: "Whether assistants may read files in the name of people who let them, by the Model Context Protocol at /mcp: on or off."},
		{Name: "DPOP_NONCES", Default: "off", apply: onOff(func(c *Config) *bool { return &c.DPoPNonces }),
			Help: "on: a proof of possession (DPoP) has to quote what the server said in the last two to four minutes, so none can be made ahead; off."},
		{Name: "SESSION_IDLE", Default: "24h", apply: sessionIdle,
			Help: "How long a sign-in goes on that nobody uses, 5m to 365d."},
		{Name: "SESSION_ABSOLUTE", Default: "14d", apply: sessionAbsolute,
			Help: "How long a sign-in goes on at most, 5m to 365d. Counts for sign-ins from then on."},
		{Name: "REFRESH_GRACE", Default: "10s", apply: refreshGrace,
			Help: "How long a refresh token that was just used may be sent again, for clients that lost the answer, 0s to 60s; 0s: not at all."},
	}
}

func featureSettings() []Setting {
	return []Setting{
		{Name: "SERVICE_ACCOUNT_EMAIL_DOMAIN", apply: applyEmailDomain,
			Note: "serviceaccount. and the host of PORTICO_BASE_URL",
			Help: "Domain of the addresses of service accounts."},
		{Name: "SERVICE_ACCOUNT_EXPIRY", Default: "365d", apply: serviceAccountExpiry,
			Help: "How long a service account lasts that nobody uses, 1d to 3650d; each token pushes its end on."},
		{Name: "ASSERTION_AUDIENCES", apply: applyAssertionAudiences, Note: "none",
			Help: "Further values, separated by commas, accepted as aud of a signed assertion beside the token endpoint."},
		{Name: "URN_NAMESPACE", Default: "portico", apply: applyURNNamespace,
			Help: "Name space of the URNs of files: lower-case letters, digits, hyphens. Set it once: clients keep URNs."},
		{Name: "SIGNUP", Default: "closed", apply: applySignup,
			Help: "Who may make an account: closed (administrators add people), invite (people invite others, too) or open (anybody, who shows that the address is theirs)."},
		{Name: "SIGNUP_DOMAINS", apply: applySignupDomains, Note: "all",
			Help: "Domains, separated by commas, whose addresses alone may be signed up with or invited by people."},
		{Name: "SECOND_FACTOR", apply: applySecondFactor,
			Note: "voluntary, or as decided on the page of the server's rules",
			Help: "Who must have a second factor or a passkey: voluntary (nobody), administrators or everybody. Whoever has none adds one as they next sign in. What rests on a password alone gives no further tokens."},
		{Name: "REGISTER_APPS", apply: applyRegisterApps,
			Note: "everybody, or as decided on the page of the server's rules",
			Help: "Who may register apps: everybody, administrators, or group:NAME for administrators and the people of a group."},
		{Name: "APPS_PER_PERSON", apply: applyAppsPerPerson,
			Note: "100, or as decided on the page of the server's rules",
			Help: "How many apps somebody may have registered who is no administrator; 0 is without bound."},
		{Name: "BRAND_NAME", apply: applyBrandName, Note: "Portico",
			Help: "What every page calls this server, at most 40 characters."},
		{Name: "BRAND_SUPPORT", apply: applyBrandSupport, Note: "none",
			Help: "Where people find help, linked on every page: an e-mail address, or a URL."},
		{Name: "BRAND_TERMS", apply: brandURL(func(b *Brand) *string { return &b.TermsURL }), Note: "none",
			Help: "URL of the terms of use, linked on every page."},
		{Name: "BRAND_PRIVACY", apply: brandURL(func(b *Brand) *string { return &b.PrivacyURL }), Note: "none",
			Help: "URL of the privacy policy, linked on every page."},
		{Name: "BRAND_IMPRINT", apply: brandURL(func(b *Brand) *string { return &b.ImprintURL }), Note: "none",
			Help: "URL of the imprint, linked on every page."},
		{Name: "BRAND_COLOR", apply: brandColor(contrast.Light(), func(b *Brand) *string { return &b.Color }),
			Note: "#2a4d8f",
			Help: "Colour of links and buttons on light pages, with a contrast of 4.5 to 1 (WCAG AA)."},
		{Name: "BRAND_COLOR_DARK", apply: brandColor(contrast.Dark(), func(b *Brand) *string { return &b.ColorDark }),
			Note: "#93b2f5",
			Help: "Likewise on dark pages."},
		{Name: "BRAND_LOGO", apply: applyBrandLogo, Note: "Portico's",
			Help: "File of the picture on every page, PNG or JPEG, of at most 256 kB and 2048 pixels. What administrators say on the page of the brand goes before these settings."},
		{Name: "SMTP_URL", Secret: true, apply: applySMTP,
			Note: "mails lie as files in PORTICO_DATA_DIR, and nobody gets any",
			Help: "Mail server: smtp://user:password@host:587, encrypted by STARTTLS when it offers that and always with a password, or smtps://user:password@host:465."},
		{Name: "MAIL_FROM", apply: applyMailFrom, Note: "PORTICO_BRAND_NAME, no-reply at the host of PORTICO_BASE_URL",
			Help: "Sender of mails, as in Portico <no-reply@example.test>."},
		{Name: "REDIS_URL", Secret: true, apply: applyRedis, Note: "limits, and which proofs came, are each server's own",
			Help: "Redis that shares rate limits between servers, and which proofs of possession (DPoP) came, so that each counts once on all of them: redis://host:port/0 or unix:///path."},
		{Name: "S3_ENDPOINT", apply: applyS3Endpoint, Note: "files stay in PORTICO_DATA_DIR",
			Help: "S3-compatible object store for the bytes of files, as in https://s3.example.test; clients reach it there too."},
		{Name: "S3_BUCKET", apply: text(func(c *Config) *string { return &c.S3.Bucket }), Note: "none",
			Help: "Bucket in the object store; it must be there."},
		{Name: "S3_REGION", apply: text(func(c *Config) *string { return &c.S3.Region }), Note: "us-east-1",
			Help: "Region of the bucket."},
		{Name: "S3_ACCESS_KEY", Secret: true, apply: secretText(func(c *Config) *sealing.Secret { return &c.S3.AccessKey }),
			Note: "none",
			Help: "Access key of the object store."},
		{Name: "S3_SECRET_KEY", Secret: true, apply: secretText(func(c *Config) *sealing.Secret { return &c.S3.SecretKey }),
			Note: "none",
			Help: "Secret key of the object store."},
		{Name: "ANTIVIRUS", apply: applyAntivirus, Note: "nobody looks for viruses",
			Help: "Virus scanner for what is uploaded: tcp://host:port or unix:///path of clamd, or the https:// address of a service."},
		{Name: "ANTIVIRUS_MODE", Default: "block", apply: applyAntivirusMode,
			Help: "What happens to a file that has not been scanned yet: block (nobody gets it) or serve. One in which something was found is given to nobody."},
		{Name: "METRICS_LISTEN", apply: applyMetricsListen, Note: "nothing is counted",
			Help: "Addresses, host:port, separated by commas, where /metrics tells Prometheus what the server does; whoever reaches them may read it."},
		{Name: "TRACES_URL", apply: applyTracesURL, Note: "nothing is traced",
			Help: "Collector of OpenTelemetry that traces are sent to by OTLP/HTTP, as in http://127.0.0.1:4318; a path stands for itself, none for /v1/traces."},
		{Name: "TRACES_SHARE", Default: "0.01", apply: applyTracesShare,
			Help: "Share of requests and of rounds of work that are traced, from 0 to 1; a trusted proxy that sends traceparent decides by itself."},
	}
}

// Flags returns the setting behind every flag of `portico serve`, in the order
// of the manual: ConfigFile, then all settings, secrets in both forms.
func Flags() []Setting {
	flags := []Setting{ConfigFile()}
	for _, s := range Settings() {
		flags = append(flags, s)
		if s.Secret {
			flags = append(flags, s.File())
		}
	}
	return flags
}
