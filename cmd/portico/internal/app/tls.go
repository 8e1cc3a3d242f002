package app

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/fault"
)

// lookAgain is how often, at most, the files of a certificate are looked at.
const lookAgain = time.Second

// secured is what a listener with TLS needs, read from files, and again when
// they change. Files that can't be used leave it as it is.
type secured struct {
	files   config.TLS
	clients bool // whether clients must have a certificate
	ambient *ambient.Source
	log     *slog.Logger

	mu       sync.Mutex
	lookedAt time.Time
	stamp    string
	refused  string // the stamp of files that can't be used, as was said
	config   *tls.Config
}

// secure has a listener speak TLS, if there is a certificate.
func secure(listeners []net.Listener, files config.TLS, clients bool, o Options) ([]net.Listener, error) {
	if files.Cert == "" {
		return listeners, nil
	}
	s := &secured{files: files, clients: clients, ambient: o.Ambient, log: o.Log}
	var err error
	if s.config, err = s.read(); err != nil {
		return nil, errors.Join(err, closeAll(listeners))
	}
	s.stamp, s.lookedAt = s.stamped(), o.Ambient.Now()
	for i, listener := range listeners {
		listeners[i] = tls.NewListener(listener, &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: s.config.NextProtos,
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.current(), nil },
		})
	}
	return listeners, nil
}

// current returns what the files say now.
func (s *secured) current() *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.ambient.Now()
	if now.Sub(s.lookedAt).Abs() < lookAgain {
		return s.config
	}
	s.lookedAt = now
	stamp := s.stamped()
	if stamp == s.stamp {
		return s.config
	}
	fresh, err := s.read()
	if err != nil {
		if stamp != s.refused { // they are tried each second, until they can
			s.log.Warn("the certificate changed and can't be used: the one before stays", "error", err)
		}
		s.refused = stamp
		return s.config
	}
	s.log.Info("the certificate was read again", "file", s.files.Cert)
	s.stamp, s.config = stamp, fresh
	return fresh
}

// stamped tells versions of the files apart.
func (s *secured) stamped() string {
	stamp := ""
	for _, file := range []string{s.files.Cert, s.files.Key, s.files.ClientCA} {
		if info, err := os.Stat(file); err == nil {
			stamp += fmt.Sprintf("%d %d;", info.ModTime().UnixNano(), info.Size())
		}
	}
	return stamp
}

// recommended are the suites for TLS 1.2 of BCP 195 (RFC 9325 section 4.2), which FAPI 2.0
// allows alone; TLS 1.3 has no weak ones.
var recommended = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
}

func (s *secured) read() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(s.files.Cert, s.files.Key)
	if err != nil {
		return nil, fault.New(fault.Invalid, "tls", "The certificate "+s.files.Cert+" and the key "+s.files.Key+
			" can't be used together: give PEM files that belong to each other.").At("PORTICO_TLS_CERT").Because(err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: recommended, NextProtos: []string{"h2", "http/1.1"},
		Certificates: []tls.Certificate{pair}}
	if !s.clients {
		return c, nil
	}
	if c.ClientCAs, err = s.files.Authorities(); err != nil {
		return nil, err
	}
	c.ClientAuth = tls.RequireAndVerifyClientCert
	if s.files.ClientAny {
		c.ClientAuth = tls.RequireAnyClientCert
	}
	return c, nil
}
