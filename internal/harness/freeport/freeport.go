// Package freeport finds ports for programs of tests that can't be given an open
// listener, and addresses at which nobody listens.
package freeport

import (
	"encoding/binary"
	"net"
	"strconv"
	"testing"

	"github.com/portico-id/portico/internal/ambient"
)

// Ports are taken below those that systems hand out by themselves, to whoever listens at
// port 0 or calls somebody: such a one may be another test's before the program listens.
const (
	lowest = 20_000
	many   = 12_000
)

// Take returns a port of the loopback address at which nobody listens, nor will by chance.
func Take(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(lowest + int(binary.NativeEndian.Uint16(ambient.System().Bytes(2)))%many)
		if free("127.0.0.1:"+port) && free(":"+port) {
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// Address is Take with the address before it: 127.0.0.1:port.
func Address(t testing.TB) string {
	t.Helper()
	return "127.0.0.1:" + Take(t)
}

func free(address string) bool {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	return l.Close() == nil
}
