//go:build race

package e2e

// raceShadows is how many times the memory of a program its race detector takes.
const raceShadows = 3
