// Package filelock keeps processes of one machine, or of one network file system, apart by
// locks of files. A lock ends with the process that has it, however that ends.
package filelock
