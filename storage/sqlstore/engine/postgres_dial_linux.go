package engine

import "syscall"

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not name.
const tcpUserTimeout = 18

// abandonLost has the kernel give a TCP connection up when what was sent is not
// acknowledged in time.
func abandonLost(network, _ string, raw syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(lostAfter.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
