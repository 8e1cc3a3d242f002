// Command portico-bench measures whole servers from outside: how much processor time a
// request costs one and its database, in units of one bare RSA-2048 signature made on the
// same machine in the same run; how long answers take; how fast a Portico starts; how much
// memory it keeps when idle. Beside it a provider that others wrote can be asked the same
// by turns. It needs Linux, whose /proc tells a process's times.
//
// Ratios from one run are what to quote: on a shared machine the absolute
// figures drift. Start reading at measure.go; server.go runs the server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if bare, err := serveBare(ctx); bare {
		fail(err)
		return
	}
	p := plan{idle: idleAfter, items: fullPage}
	binaries := flag.String("binary", "bin/portico", "servers to measure, with commas between (make build makes one)")
	databases := flag.String("database", "", "PORTICO_DATABASE_URL of each of them; empty: fresh SQLite files")
	behind := flag.Int("database-pid", 0, "the first process of PostgreSQL, whose time counts, too; 0: it does not")
	flag.StringVar(&p.peer, "peer", "", "the folder node_modules with npm's oidc-provider, to be asked the same; empty: without")
	flag.StringVar(&p.outsider.issuer, "address", "", "the issuer of a server that runs already, to be asked "+
		"the same; its client and person are in "+
		strings.Join([]string{outsiderClient, outsiderSecret, outsiderUser, outsiderPassword}, ", "))
	flag.IntVar(&p.outsider.pid, "pid", 0, "its process; 0: what it costs is not known")
	flag.StringVar(&p.outsider.scope, "scope", "openid profile email", "what people who sign in there are asked for")
	flag.IntVar(&p.requests, "n", 3000, "requests of each kind")
	flag.IntVar(&p.pace.clients, "c", 4, "how many are under way at once")
	flag.Float64Var(&p.pace.rate, "rate", 0, "how many begin a second, whatever the server does; 0: each after an answer")
	flag.IntVar(&p.rounds, "rounds", 3, "how often everything is measured; the median counts")
	flag.StringVar(&p.only, "only", "", "measure the kinds of requests whose names begin so, or \"flood\"; empty: all")
	recordTo := flag.String("record", "", "write the costs of the first server to this file")
	checkBy := flag.String("check", "", "fail when a request costs the first server 15 % more than this file has")
	flag.Parse()
	p.binaries = strings.Split(*binaries, ",")
	for _, url := range append(strings.Split(*databases, ","), make([]string, len(p.binaries))...) {
		p.databases = append(p.databases, database{url, postgres(*behind)})
	}
	fail(run(ctx, p, *recordTo, *checkBy))
}

// fail ends the program with an error, unless there is none.
func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures, prints what came of it, and writes it down or holds it to what was.
func run(ctx context.Context, p plan, recordTo, checkBy string) (err error) {
	results, err := measure(ctx, p)
	if err != nil {
		return err
	}
	results.print(os.Stdout)
	costs := results.costs(filepath.Base(p.binaries[0]))
	if recordTo != "" {
		err = record(recordTo, costs)
	}
	if checkBy != "" {
		err = errors.Join(err, check(checkBy, costs))
	}
	return err
}
