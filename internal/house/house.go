// Package house holds the tests that keep the whole source tree in order: who
// may import whom, where time and randomness come from, that every package says
// what it is, that the table of rules and the tests name each other, and that
// the binary and the container image are what they should be.
//
// It has no code of its own. Start at source_test.go for how the tree is read;
// imports_test.go holds the table of rooms.
package house
