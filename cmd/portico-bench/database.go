package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	_ "github.com/lib/pq" // the driver
)

// postgres is a database server of this machine, by its first process; zero: there is none.
type postgres int

// postgresOf finds the server behind the address by the process that answers.
func postgresOf(ctx context.Context, address string) (postgres, error) {
	if !strings.HasPrefix(address, "postgres") {
		return 0, nil
	}
	db, err := sql.Open("postgres", address)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	var backend int
	if err := db.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return 0, err
	}
	fields, err := stat(backend)
	if err != nil {
		return 0, fmt.Errorf("PostgreSQL does not run on this machine: %w", err)
	}
	first, err := strconv.Atoi(fields[statParent])
	return postgres(first), err
}

// What the words of /proc/PID/stat after the name of the program are.
const (
	statParent     = 1
	statBuriedUser = 13 // ticks of those that ended
	statBuriedOwn  = 14
	tick           = 10 * time.Millisecond
)

func stat(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	if len(fields) <= statBuriedOwn {
		return nil, errors.New("unknown form of /proc/PID/stat")
	}
	return fields, nil
}

// cpu returns the processor time of all that work for the database server, and of those
// of them that ended.
func (p postgres) cpu() (time.Duration, error) {
	if p == 0 {
		return 0, nil
	}
	first, err := stat(int(p))
	if err != nil {
		return 0, err
	}
	user, userErr := strconv.Atoi(first[statBuriedUser])
	own, ownErr := strconv.Atoi(first[statBuriedOwn])
	total := time.Duration(user+own) * tick
	all, err := filepath.Glob("/proc/[0-9]*")
	if err = errors.Join(err, userErr, ownErr); err != nil {
		return 0, err
	}
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if fields, err := stat(pid); err != nil || fields[statParent] != strconv.Itoa(int(p)) && pid != int(p) {
			continue
		}
		if used, err := processCPU(pid); err == nil { // else it ended meanwhile
			total += used
		}
	}
	return total, nil
}
