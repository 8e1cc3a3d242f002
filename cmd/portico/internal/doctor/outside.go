package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
)

// name looks the host of the base URL up.
func name(ctx context.Context, p Patient) []Finding {
	host := hostOf(p.Config.BaseURL)
	if host == "" || host == "localhost" || net.ParseIP(host) != nil {
		return nil
	}
	if _, err := net.DefaultResolver.LookupHost(ctx, host); err != nil {
		return ill("The name "+host+" of PORTICO_BASE_URL leads nowhere.",
			"Add it to the DNS, or correct PORTICO_BASE_URL. Where it holds for others only, add it to /etc/hosts here.")
	}
	return nil
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// baseURL asks the server as the world does, through all proxies.
func baseURL(ctx context.Context, p Patient) []Finding {
	base := p.Config.BaseURL
	if base == "" {
		return doubtful("The base URL is not set: it is localhost, which leads only here.",
			"Set PORTICO_BASE_URL to where the world reaches the server, as in https://id.example.test.")
	}
	said, err := discover(ctx, base)
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &untrusted):
		return ill("Browsers don't trust the certificate of "+base+": "+untrusted.Err.Error()+".",
			"Give the proxy a certificate for this name, with those between it and its authority.")
	case err != nil:
		return ill("Nobody answers at "+base+": "+err.Error()+".",
			"Start the server, let the proxy pass requests on to PORTICO_LISTEN, and let the firewall pass them.")
	case said.status != http.StatusOK || said.issuer != base:
		return ill("At "+base+" answers something else than a Portico with this base URL.",
			"Let the proxy pass all paths on unchanged, and set PORTICO_BASE_URL to what people see, without a slash at its end.")
	}
	var found []Finding
	if at, err := http.ParseTime(said.date); err == nil {
		ahead := at.Add(said.age).Sub(p.Ambient.Now().Truncate(time.Second))
		found = drift("the server at the base URL", ahead, said.age+maxDrift) // the date may be the cache's own
	}
	if said.leaf != nil {
		found = append(found, lasts(said.leaf, p.Ambient.Now())...)
	}
	return found
}

// discovery is what a server says of itself.
type discovery struct {
	status int
	issuer string // empty: it is something else
	date   string
	age    time.Duration     // since then, where a cache on the way answers: anybody may keep the document for an hour
	leaf   *x509.Certificate // nil: it speaks no TLS
}

func discover(ctx context.Context, base string) (discovery, error) {
	answer, err := get(ctx, &http.Client{}, base+"/.well-known/openid-configuration")
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return discovery{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	said := discovery{status: answer.StatusCode, date: answer.Header.Get("Date")}
	if seconds, err := strconv.ParseUint(answer.Header.Get("Age"), 10, 31); err == nil {
		said.age = time.Duration(seconds) * time.Second // #nosec G115 -- 31 bits
	}
	if answer.TLS != nil && len(answer.TLS.PeerCertificates) > 0 {
		said.leaf = answer.TLS.PeerCertificates[0]
	}
	var document struct {
		Issuer string `json:"issuer"`
	}
	if json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&document) == nil {
		said.issuer = document.Issuer
	}
	return said, nil
}

func get(ctx context.Context, client *http.Client, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(request)
}

// AskServer returns the status and the words with which the server on this machine
// answers at the path.
func AskServer(ctx context.Context, c config.Config, path string) (status int, said string, err error) {
	answer, err := get(ctx, &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // #nosec G402 -- its certificate is for other names
	}}, c.OwnURL()+path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = answer.Body.Close() }()
	words, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	return answer.StatusCode, string(words), err
}

// server asks the server on this machine whether it is ready.
func server(ctx context.Context, p Patient) []Finding {
	status, said, err := AskServer(ctx, p.Config, "/readyz")
	switch {
	case err != nil:
		return doubtful("No server runs on this machine at "+p.Config.Listen[0]+".",
			"Start it: systemctl start portico, or portico serve. Its log says why it ended.")
	case status == http.StatusServiceUnavailable:
		return ill("The server is not ready: "+strings.TrimSpace(said), "Mend the part that it names.")
	case status != http.StatusOK:
		return ill("Another program answers at "+p.Config.Listen[0]+".", "Stop it, or choose another port by PORTICO_LISTEN.")
	}
	return nil
}
