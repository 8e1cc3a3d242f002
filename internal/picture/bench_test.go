package picture

import (
	"bytes"
	"image"
	"image/color"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// costly are files within the limits of a logo that cost as much as their kind
// can, in 20 kB and in 256 kB.
func costly(t testing.TB) map[string][]byte {
	colours := image.NewPaletted(square(2048), color.Palette{color.Black, color.White})
	return map[string][]byte{
		"progressive, 32 scans, 20kB":  padded(progressive(2048, 32, 20), 20_000),
		"progressive, 32 scans, 256kB": padded(progressive(2048, 32, 850), 256<<10),
		"baseline, 256kB":              padded(sequential(2048, 1), 256<<10),
		"PNG, four channels, 20kB":     flat(t, translucent(2048)),
		"PNG, sixteen bits":            flat(t, deep(2048)),
		"PNG, interlaced":              interlaced(t, 2048),
		"PNG, one bit":                 flat(t, colours),
	}
}

// padded puts a comment of zeros behind the start of a JPEG.
func padded(file []byte, size int) []byte {
	for len(file) < size {
		n := min(size-len(file), 65_000)
		file = append(append(bytes.Clone(file[:2]), segment(0xfe, make([]byte, n)...)...), file[2:]...)
	}
	return file
}

func BenchmarkALogoThatCostsAsMuchAsItMay(b *testing.B) {
	asTheServer(b)
	for name, file := range costly(b) {
		b.Run(name, func(b *testing.B) {
			peak, before := watchPeak(b), processor()
			for b.Loop() {
				logos(b, file, 1)
			}
			b.ReportMetric(float64((processor()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(peak(), "peak-MB")
		})
	}
}

func BenchmarkSixteenLogosAtOnce(b *testing.B) {
	asTheServer(b)
	for name, file := range costly(b) {
		b.Run(name, func(b *testing.B) {
			peak := watchPeak(b)
			for b.Loop() {
				logos(b, file, 16)
			}
			b.ReportMetric(peak(), "peak-MB")
		})
	}
}

// Rule: PICTURE-2
func TestSixteenLogosAtOnceTakeTheMemoryOfOne(t *testing.T) {
	if raced {
		t.Skip("the race detector takes memory of its own")
	}
	asTheServer(t)
	for name, file := range map[string][]byte{"progressive": progressive(2048, 2, 0), "PNG": interlaced(t, 2048)} {
		peak := watchPeak(t)
		logos(t, file, 16)
		if got := peak(); got > 120 {
			t.Errorf("%s: %.0f MB", name, got)
		}
	}
}

// asTheServer lets garbage pile up as the server does.
func asTheServer(t testing.TB) {
	old := debug.SetGCPercent(400)
	t.Cleanup(func() { debug.SetGCPercent(old) })
}

func logos(t testing.TB, file []byte, n int) {
	reader := NewReader()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			picture, err := reader.Read(t.Context(), file, Logo(), 96)
			if err == nil {
				_, err = picture.SquarePNG(96)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func processor() time.Duration {
	var use syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// watchPeak returns what tells by how many megabytes the process has grown at
// most since.
func watchPeak(t testing.TB) func() float64 {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("the system does not tell how much memory there was at most: %v", err)
	}
	before := status(t, "VmRSS:")
	return func() float64 { return (status(t, "VmHWM:") - before) / 1024 }
}

func status(t testing.TB, name string) float64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), name)
	kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes
}
