//go:build !linux

package pgtest

import "syscall"

// attributes makes a process run as the account. Other systems than Linux have
// no way to tie its life to ours: there, only Main ends the server.
func (a account) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: a.credential}
}

// memoryFolder returns "": there is no folder in memory that everybody has.
func memoryFolder() string { return "" }
