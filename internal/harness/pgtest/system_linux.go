package pgtest

import "syscall"

// attributes makes a process run as the account and end with the thread that
// started it. SIGQUIT is PostgreSQL's immediate shutdown.
func (a account) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: a.credential, Pdeathsig: syscall.SIGQUIT}
}

// memoryFolder returns a folder in memory, where making a database takes a
// third of the time, or "" where there is none or little room in it, as in
// containers.
func memoryFolder() string {
	const folder, enough = "/dev/shm", 2 << 30
	var room syscall.Statfs_t
	if err := syscall.Statfs(folder, &room); err != nil || room.Bavail*uint64(room.Bsize) < enough {
		return ""
	}
	if err := syscall.Access(folder, 2 /* W_OK */); err != nil {
		return ""
	}
	return folder
}
