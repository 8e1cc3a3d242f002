package serviceaccounts_test

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
)

// Example gets a token for a service account, as docs/guides/service-accounts.md
// has it, from a server that is made for it.
func Example() {
	server := newExampleServer()
	defer server.close()

	token, err := accessToken(context.Background(), server.keyFile, server.clientSecret)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(server.subjectOf(token) == server.accountID)

	// Output: true
}

// guide: accessToken
// accessToken signs for a service account and exchanges the signature.
func accessToken(ctx context.Context, keyFile, clientSecret string) (string, error) {
	var key struct {
		TokenURL   string `json:"token_url"`
		ClientID   string `json:"client_id"`
		AccountID  string `json:"service_account_id"`
		KID        string `json:"kid"`
		PrivateKey string `json:"private_key"`
	}
	content, err := os.ReadFile(keyFile)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(content, &key); err != nil {
		return "", err
	}
	block, _ := pem.Decode([]byte(key.PrivateKey))
	if block == nil {
		return "", errors.New("there is no key in " + keyFile)
	}
	private, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		return "", err
	}

	header, _ := json.Marshal(map[string]any{"alg": "RS256", "kid": key.KID})
	claims, _ := json.Marshal(map[string]any{
		"iss":   key.ClientID,
		"sub":   key.AccountID,
		"aud":   key.TokenURL,
		"exp":   time.Now().Add(2 * time.Minute).Unix(),
		"scope": []string{"data:read"},
	})
	encode := base64.RawURLEncoding.EncodeToString
	assertion := encode(header) + "." + encode(claims)
	sum := sha256.Sum256([]byte(assertion))
	signature, err := rsa.SignPKCS1v15(nil, private, crypto.SHA256, sum[:])
	if err != nil {
		return "", err
	}
	assertion += "." + encode(signature)

	response, err := http.PostForm(key.TokenURL, url.Values{
		"grant_type":    {"urn:ietf:params:oauth:grant-type:jwt-bearer"},
		"assertion":     {assertion},
		"client_id":     {key.ClientID},
		"client_secret": {clientSecret},
	})
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
		Description string `json:"error_description"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return "", err
	}
	if answer.AccessToken == "" {
		return "", errors.New(answer.Description)
	}
	return answer.AccessToken, nil
}

// guide: end

func TestTheGuideIsTheCodeThatIsTested(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../docs/guides/service-accounts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "\n// guide: accessToken\n")
	code, _, _ = strings.Cut(code, "\n\n// guide: end\n")
	if !strings.Contains(string(guide), "```go\n"+code+"\n```") {
		t.Errorf("docs/guides/service-accounts.md has another accessToken; it should be\n%s", code)
	}
}

// exampleServer is a running server with a service account and its key file.
type exampleServer struct {
	*world
	test                             exampleTest
	keyFile, clientSecret, accountID string
}

func newExampleServer() *exampleServer {
	test := exampleTest{TB: nil, ends: new([]func())}
	s := &exampleServer{test: test, world: newWorld(test, settings{})}
	a := s.app(apps.Registration{})
	key := s.signer(a, "night-job")
	content, err := json.Marshal(map[string]string{
		"token_url": s.Issuer + tokenPath, "client_id": a.ID, "service_account_id": key.account,
		"kid": key.kid, "private_key": key.pem,
	})
	s.must(err)
	s.keyFile, s.clientSecret, s.accountID = filepath.Join(test.TempDir(), "key.json"), a.Secret, key.account
	s.must(os.WriteFile(s.keyFile, content, 0o600))
	return s
}

func (s *exampleServer) subjectOf(token string) string {
	claims, err := s.Keys.VerifyAccess(context.Background(), token)
	s.must(err)
	return claims.Subject
}

func (s *exampleServer) close() { s.test.end() }

// exampleTest is what the world needs of a test: an example has none.
type exampleTest struct {
	testing.TB
	ends *[]func()
}

func (e exampleTest) Helper()                  {}
func (e exampleTest) Context() context.Context { return context.Background() }
func (e exampleTest) Cleanup(end func())       { *e.ends = append(*e.ends, end) }
func (e exampleTest) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }
func (e exampleTest) Error(args ...any)        { panic(fmt.Sprint(args...)) }

func (e exampleTest) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (e exampleTest) TempDir() string {
	dir, err := os.MkdirTemp("", "portico")
	if err != nil {
		panic(err)
	}
	e.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (e exampleTest) end() {
	for i := len(*e.ends) - 1; i >= 0; i-- {
		(*e.ends)[i]()
	}
}
