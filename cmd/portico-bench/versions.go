package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/portico-id/portico/internal/gate/signing/libcrypto"
)

// commit is that of the tree.
func commit() string { return said("git", "rev-parse", "--short=8", "HEAD") }

// said is what a program prints, or that it is not known.
func said(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// machine is how many processors of what make this one has.
func machine() string {
	raw, _ := os.ReadFile("/proc/cpuinfo") // not there: not Linux
	_, model, _ := strings.Cut(string(raw), "model name")
	model, _, _ = strings.Cut(model, "\n")
	return fmt.Sprintf("%d processors (%s)", runtime.NumCPU(), strings.Trim(model, "\t :"))
}

// versionsOf are those of what runs, with the peer of the folder node_modules.
func versionsOf(modules string) []string {
	all := []string{runtime.Version()}
	if library, err := libcrypto.Open(); err == nil {
		all = append(all, library.Version())
	}
	var peer struct {
		Version string `json:"version"`
	}
	raw, err := os.ReadFile(filepath.Join(modules, "oidc-provider", "package.json"))
	if err == nil && json.Unmarshal(raw, &peer) == nil {
		all = append(all, "oidc-provider "+peer.Version+" on Node.js "+said("node", "--version"))
	}
	return all
}
