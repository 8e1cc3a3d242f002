package sqlstore_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
)

// parts is into how many a run is cut: what is reported is the median of what
// they come to, so that a moment in which the machine was busy does not count.
const parts = 5

// times are how long calls took, in their order.
type times []time.Duration

// add runs a call and keeps how long it took.
func (all *times) add(call func() error) error {
	start := time.Now()
	err := call()
	*all = append(*all, time.Since(start))
	return err
}

// quantile is the median of the parts' quantiles, in milliseconds.
func (all times) quantile(q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	var found []time.Duration
	for part := range slices.Chunk(all, max(1, (len(all)+parts-1)/parts)) {
		sorted := slices.Sorted(slices.Values(part))
		found = append(found, sorted[int(q*float64(len(sorted)-1)+0.5)])
	}
	slices.Sort(found)
	return found[len(found)/2].Seconds() * 1000
}

// report tells the median and the 99th percentile.
func (all times) report(b *testing.B, of string) {
	b.ReportMetric(all.quantile(0.5), of+"p50-ms")
	b.ReportMetric(all.quantile(0.99), of+"p99-ms")
}

// processors reads how much processor time this process and the database
// server's connections to the database have used.
type processors struct {
	db *sqlx.DB // nil: the database is in this process
}

func (p processors) used(b *testing.B) time.Duration {
	b.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	sum := time.Duration(own.Utime.Nano() + own.Stime.Nano())
	if p.db == nil {
		return sum
	}
	var pids []int
	if err := p.db.Select(&pids, `SELECT pid FROM pg_stat_activity WHERE datname = current_database()`); err != nil {
		b.Fatal(err)
	}
	for _, pid := range pids {
		sum += ofProcess(b, pid)
	}
	return sum
}

// ofProcess reads a process's time from /proc, where it is in hundredths of a
// second behind the name in parentheses.
func ofProcess(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatalf("the server's processor time can be read only on this machine: %v", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	var user, system int64
	fields := strings.Fields(rest)
	if _, err := fmt.Sscan(fields[11]+" "+fields[12], &user, &system); err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
