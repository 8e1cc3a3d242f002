//go:build !linter

// Command linter is built by the Makefile, from what tools.mod has: see main.go.
package main

import "log"

func main() { log.Fatal("linter: run make lint") }
