package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// bareVariables tell this program that it is a bare handler: where it listens, and whose
// documents it serves.
const (
	bareAddress = "PORTICO_BENCH_BARE"
	bareOf      = "PORTICO_BENCH_BARE_OF"
)

// newBare prepares a server of the documents of a Portico that is ready: the same bytes and
// headers by net/http, and nothing around it. No server in Go answers for less.
func newBare(of *server) (*server, error) {
	address, err := freeAddress()
	self, selfErr := os.Executable()
	return &server{
		name: "bare handler", url: "http://" + address, program: []string{self}, ready: wellKnown,
		paths: paths{keys: of.paths.keys},
		env:   append(os.Environ(), bareAddress+"="+address, bareOf+"="+of.url+" "+of.paths.keys+" "+wellKnown),
	}, errors.Join(err, selfErr)
}

func bareLoads(_ context.Context, s *server) ([]load, error) { return s.documents(), nil }

// serveBare is the bare handler, until the context ends; false: this process is none.
func serveBare(ctx context.Context) (is bool, err error) {
	address, documents := os.Getenv(bareAddress), strings.Fields(os.Getenv(bareOf))
	if address == "" {
		return false, nil
	}
	handlers := map[string]http.HandlerFunc{}
	for _, path := range documents[1:] {
		if handlers[path], err = copied(documents[0] + path); err != nil {
			return true, err
		}
	}
	server := http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { handlers[r.URL.Path](w, r) })}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err == nil {
		err = server.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return true, err
}

// copied returns what answers as an address did.
func copied(address string) (http.HandlerFunc, error) {
	response, err := http.Get(address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	response.Header.Del("Date")
	return func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), response.Header)
		_, _ = w.Write(body)
	}, err
}
