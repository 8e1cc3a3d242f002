package house

import (
	"debug/buildinfo"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const maxBinary = 40_000_000

// build builds the binary as the Makefile and the Dockerfile do. Where a program
// may call a method by a name that is not known before, every method of every type
// stays in its binary (5 MB): templates that call none, and the tag, which takes
// such a call out of the validator, keep it without. Functions begin at each 16th byte,
// as on arm64, where amd64 has each 32nd (0.3 MB).
func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: builds the binary")
	}
	binary := filepath.Join(t.TempDir(), "portico")
	command := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags=validator_novalidatefn",
		"-ldflags=-s -w -funcalign=16", "-o", binary, "./cmd/portico")
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return binary
}

func TestTheBinaryIsStaticAndSmall(t *testing.T) {
	binary := build(t)
	info, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() >= maxBinary {
		t.Errorf("the binary has %d bytes, and should stay under %d", info.Size(), maxBinary)
	}
	built, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range built.Settings {
		if setting.Key == "CGO_ENABLED" && setting.Value != "0" {
			t.Errorf("CGO_ENABLED is %s", setting.Value)
		}
	}
	program, err := elf.Open(binary)
	if err != nil {
		t.Skipf("not an ELF binary on this system: %v", err)
	}
	defer func() { _ = program.Close() }()
	for _, segment := range program.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the binary asks for a dynamic linker")
		}
	}
}

func TestMakefileAndDockerfileBuildAlike(t *testing.T) {
	const want = `CGO_ENABLED=0 go build -trimpath -tags=validator_novalidatefn -ldflags='-s -w -funcalign=16' -o`
	for _, file := range []string{"Makefile", "docker/Dockerfile"} {
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.ReplaceAll(string(content), "$(GO)", "go"), want) {
			t.Errorf("%s does not build with %s", file, want)
		}
	}
}
