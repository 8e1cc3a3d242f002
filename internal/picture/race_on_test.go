//go:build race

package picture

// raced: the detector keeps several bytes of its own for each.
const raced = true
