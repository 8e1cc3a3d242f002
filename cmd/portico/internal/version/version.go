// Package version says which Portico this is. Migrations compare it with the
// oldest version that a schema supports.
package version

// Number is MAJOR.MINOR.PATCH of this source tree.
const Number = "0.1.0"
