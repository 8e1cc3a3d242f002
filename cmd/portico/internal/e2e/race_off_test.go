//go:build !race

package e2e

// raceShadows is 1: nobody watches.
const raceShadows = 1
