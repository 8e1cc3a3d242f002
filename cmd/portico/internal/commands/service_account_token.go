package commands

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/spf13/cobra"

	"github.com/portico-id/portico/internal/gate/dpop"
	"github.com/portico-id/portico/serviceaccounts"
)

const (
	jwtBearerGrant  = "urn:ietf:params:oauth:grant-type:jwt-bearer" // RFC 7523 section 2.1
	assertionLife   = 2 * time.Minute
	exchangeTimeout = 30 * time.Second
	maxAnswer       = 1 << 20 // bytes
	maxKeyFile      = 64 << 10
)

const serviceAccountTokenHelp = `Get an access token for a service account: sign with its key, exchange the
signature at the server and print the token, nothing else, for a script to use:

  TOKEN=$(portico service-account token --key key.json --client-secret-file secret.txt --scope data:read)
  curl -H "Authorization: Bearer $TOKEN" https://id.example.com/userinfo

FILE is what portico service-account key create --out wrote, or a PEM private key
beside --client, --account, --kid and --token-url. The client's secret comes from
--client-secret-file ("-": standard input) or the environment variable
CLIENT_SECRET. The command talks to the server only; it needs no database.`

// tokenFlags are the flags of the command, and what it learns from the file.
type tokenFlags struct {
	serviceaccounts.KeyFile
	file, scope, secretFile string
	dpopKey                 string
}

func newServiceAccountToken(e *Env) *cobra.Command {
	var f tokenFlags
	command := &cobra.Command{Use: "token", Short: "Get an access token for a service account",
		Long: serviceAccountTokenHelp, Args: cobra.NoArgs}
	flags := command.Flags()
	flags.StringVar(&f.file, "key", "", "`FILE` with the key.")
	flags.StringVar(&f.scope, "scope", "data:read", "`SCOPES` of the token, separated by spaces.")
	flags.StringVar(&f.secretFile, "client-secret-file", "", "`FILE` that holds the client's secret.")
	flags.StringVar(&f.ClientID, "client", "", "`CLIENT_ID`, instead of the one in the file.")
	flags.StringVar(&f.ServiceAccountID, "account", "", "`ACCOUNT_ID`, instead of the one in the file.")
	flags.StringVar(&f.KID, "kid", "", "`KID` of the key, instead of the one in the file.")
	flags.StringVar(&f.TokenURL, "token-url", "", "`URL` of the token endpoint, instead of the one in the file.")
	flags.StringVar(&f.dpopKey, "dpop-key", "", dpopKeyUsage)
	asJSON := flags.Bool("json", false, "Print the server's whole answer, one JSON object.")
	require(command, "key")
	command.RunE = func(command *cobra.Command, _ []string) error {
		if err := f.readKey(); err != nil {
			return err
		}
		secret, err := e.clientSecret(f.secretFile)
		if err != nil {
			return err
		}
		answer, err := e.exchange(command.Context(), f, secret)
		if err != nil {
			return err
		}
		if *asJSON {
			return e.printJSON(answer)
		}
		e.printf("%s\n", answer.AccessToken)
		return nil
	}
	return command
}

// readKey reads the file; what was given as a flag stays.
func (f *tokenFlags) readKey() error {
	content, err := os.ReadFile(f.file)
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	if len(content) > maxKeyFile {
		return fmt.Errorf("--key: %s is too long to be a key", f.file)
	}
	given := f.KeyFile
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("-----BEGIN")) {
		f.PrivateKey = string(content)
	} else if err := json.Unmarshal(content, &f.KeyFile); err != nil {
		return fmt.Errorf("--key: %s is neither a key file nor PEM", f.file)
	}
	for _, field := range []struct {
		flag        string
		given, into *string
	}{
		{"--client", &given.ClientID, &f.ClientID}, {"--account", &given.ServiceAccountID, &f.ServiceAccountID},
		{"--kid", &given.KID, &f.KID}, {"--token-url", &given.TokenURL, &f.TokenURL},
	} {
		if *field.given != "" {
			*field.into = *field.given
		}
		if *field.into == "" {
			return usagef("%s is needed: it is not in %s", field.flag, f.file)
		}
	}
	return nil
}

// clientSecret reads the secret of the client, never from a flag, where other
// users of the machine could see it.
func (e *Env) clientSecret(file string) (string, error) {
	from := "CLIENT_SECRET"
	secret := variable(e, from)
	if file != "" {
		content, err := e.readInput(file)
		if err != nil {
			return "", fmt.Errorf("--client-secret-file: %w", err)
		}
		secret, from = strings.TrimRight(string(content), "\r\n"), file
	}
	if secret == "" {
		return "", usagef("there is no client secret in %s: use --client-secret-file or the variable CLIENT_SECRET", from)
	}
	return secret, nil
}

// readInput reads a small file, or standard input for "-".
func (e *Env) readInput(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(e.Stdin, maxPasswordInput))
	}
	return os.ReadFile(file)
}

// assertion signs the statement of S1 section 5.
func (f *tokenFlags) assertion(now time.Time, jti string) (string, error) {
	key, err := parsePrivateKey(f.PrivateKey)
	if err != nil {
		return "", fmt.Errorf("--key: %w", err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key},
		(&jose.SignerOptions{}).WithHeader("kid", f.KID))
	if err != nil {
		return "", fmt.Errorf("--key: %w", err)
	}
	claims, err := json.Marshal(map[string]any{
		"iss": f.ClientID, "sub": f.ServiceAccountID, "aud": f.TokenURL,
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(), "jti": jti, "scope": strings.Fields(f.scope),
	})
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

// dpopKeyUsage is what --dpop-key says of itself, here and in transfers.
const dpopKeyUsage = "PEM `FILE` with a P-256 key that tokens are bound to (RFC 9449): they count with a proof of that alone."

// proofKey reads the key that access tokens are bound to; nil for no file.
func proofKey(file string) (crypto.Signer, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--dpop-key: %w", err)
	}
	read, _ := parsePrivateKey(string(content))
	key, ok := read.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("--dpop-key: %s holds no P-256 key: make one with openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256",
			file)
	}
	return key, nil
}

// parsePrivateKey reads a PEM key in either of its usual forms.
func parsePrivateKey(text string) (any, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("there is no PEM private key")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the private key can't be read")
	}
	return key, nil
}

// tokenAnswer is what the server says: a token, or what is wrong.
type tokenAnswer struct {
	AccessToken string `json:"access_token,omitempty"`
	TokenType   string `json:"token_type,omitempty"`
	ExpiresIn   int64  `json:"expires_in,omitempty"`
	Scope       string `json:"scope,omitempty"`

	Error       string `json:"error,omitempty"`
	Description string `json:"error_description,omitempty"`
}

// exchange presents the assertion (S1 4.1).
func (e *Env) exchange(ctx context.Context, f tokenFlags, secret string) (tokenAnswer, error) {
	assertion, err := f.assertion(e.Ambient.Now(), e.Ambient.UID())
	if err != nil {
		return tokenAnswer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, exchangeTimeout)
	defer cancel()
	form := url.Values{"grant_type": {jwtBearerGrant}, "assertion": {assertion}, "client_id": {f.ClientID},
		"client_secret": {secret}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.TokenURL, strings.NewReader(form.Encode()))
	if err != nil {
		return tokenAnswer{}, fmt.Errorf("--token-url: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	key, err := proofKey(f.dpopKey)
	if err != nil {
		return tokenAnswer{}, err
	}
	client := noRedirects()
	if key != nil {
		client.Transport = &dpop.Transport{Key: key, Ambient: e.Ambient, TokenURL: f.TokenURL, Next: http.DefaultTransport}
	}
	response, err := client.Do(request)
	if err != nil {
		return tokenAnswer{}, fmt.Errorf("the server can't be reached: %w", err)
	}
	defer response.Body.Close()
	return readAnswer(response)
}

// noRedirects sends the secret nowhere but where it was told to.
func noRedirects() *http.Client {
	return &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func readAnswer(response *http.Response) (tokenAnswer, error) {
	var answer tokenAnswer
	err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&answer)
	switch {
	case err == nil && response.StatusCode == http.StatusOK && answer.AccessToken != "":
		return answer, nil
	case err == nil && answer.Error != "":
		return tokenAnswer{}, fmt.Errorf("the server refuses: %s: %s", answer.Error, answer.Description)
	}
	return tokenAnswer{}, fmt.Errorf("the server answers %s, and no token", response.Status)
}
