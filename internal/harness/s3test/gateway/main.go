//go:build gateway

// Command gateway is versitygw with its store on a file system alone, which is
// what s3test needs of it: the whole program takes twice as long to compile.
// The Makefile builds it with tools.mod; for go.mod there is nothing here.
package main

import (
	"context"
	"log"
	"os"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: gateway ADDRESS ACCESS-KEY SECRET-KEY FOLDER")
	}
	address, user, secret, folder := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	if err := serve(address, user, secret, folder); err != nil {
		log.Fatal(err)
	}
}

// serve says what versitygw's own command line says where it is told nothing.
func serve(address, user, secret, folder string) error {
	options := posix.PosixOpts{Concurrency: 5000, CopyObjectThreshold: 5 << 30, IOBufferSize: 1 << 20}
	options.SetNewDirPerm(0o755)
	options.SetNewFilePerm(0o644)
	store, err := posix.New(folder, meta.XattrMeta{}, options)
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(context.Background(), store, &embedgw.Config{
		RootUserAccess: user, RootUserSecret: secret, Ports: []string{address}, Quiet: true,
		MaxConnections: 250_000, MaxRequests: 100_000, MultipartMaxParts: 10_000,
		IAMCacheTTL: 120, IAMCachePrune: 3600,
	})
}
