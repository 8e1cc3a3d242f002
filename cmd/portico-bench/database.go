package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// database is where a Portico keeps its rows: its PORTICO_DATABASE_URL, empty for a fresh
// SQLite file, and who serves it.
type database struct {
	url    string
	server postgres
}

// postgres is a database server of this machine, by the number of its first process;
// zero: there is none, or nobody counts it.
type postgres int

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

// processClock is the kind of clock that counts a process's own processor time.
const processClock = 2

// processCPU returns the processor time of a process. Its clock is named by the process
// id in the way of clock_getcpuclockid.
func processCPU(pid int) (time.Duration, error) {
	var used unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|processClock), &used)
	return time.Duration(used.Nano()), err
}
