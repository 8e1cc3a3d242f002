package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

// converse runs a program that signs a person in: for each address that it
// says {"open": …} about, the visitor goes there and the program is told where
// that ended. It returns what the program says {"done": …} about.
func (v *visitor) converse(program *exec.Cmd) map[string]any {
	v.Helper()
	var complaints bytes.Buffer
	program.Stderr = &complaints
	in, err := program.StdinPipe()
	v.must(err)
	out, err := program.StdoutPipe()
	v.must(err)
	v.must(program.Start())
	giveUp := time.AfterFunc(patience, func() { _ = program.Process.Kill() })
	defer giveUp.Stop()
	var found map[string]any
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var said struct {
			Open string
			Done map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &said); err != nil {
			v.Logf("the program says %s", lines.Text())
			continue
		}
		if said.Done != nil {
			found = said.Done
			continue
		}
		if v.sent != nil {
			v.sent(said.Open)
		}
		p, err := v.through(v.open(said.Open))
		if err != nil || p.Away == nil {
			_ = program.Process.Kill()
			v.Fatalf("opening %s: %v, status %d at %v", said.Open, err, p.Status, p.At)
		}
		_, _ = fmt.Fprintln(in, p.Away)
	}
	if err := program.Wait(); err != nil || found == nil {
		v.Fatalf("%s: %v\n%s", program.Path, err, complaints.String())
	}
	return found
}

// dig returns a member of nested objects, nil when there is none.
func dig(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}
