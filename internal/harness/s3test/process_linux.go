package s3test

import (
	"os/exec"
	"syscall"
)

// endWithTest lets the program end even when the test is killed.
func endWithTest(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
