// Command portico-bench measures a whole Portico server from outside: how much
// processor time a request costs it, in units of one bare RSA-2048 signature
// made on the same machine in the same run; how fast it starts; how much memory
// it keeps when idle. It needs Linux, whose /proc tells a process's times.
//
// Ratios from one run are what to quote: on a shared machine the absolute
// figures drift. Start reading at measure.go; server.go runs the server.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	binary := flag.String("binary", "bin/portico", "the server to measure (make build makes it)")
	database := flag.String("database", "", "PORTICO_DATABASE_URL of the server; empty: a fresh SQLite file")
	requests := flag.Int("n", 3000, "requests of each kind")
	clients := flag.Int("c", 4, "how many are under way at once")
	rounds := flag.Int("rounds", 3, "how often everything is measured; the median counts")
	only := flag.String("only", "", "measure the kinds of requests whose names begin so, or \"flood\"; empty: all")
	flag.Parse()
	results, err := measure(ctx, plan{*binary, *database, *only, *requests, *clients, *rounds})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	results.print(os.Stdout)
}
