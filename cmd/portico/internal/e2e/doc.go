// Package e2e tests Portico as those outside meet it: people in a browser,
// client libraries that others wrote, operators with a command line, and
// attackers with a socket.
//
// It has tests only. They run the whole application, in this process or in one
// of its own that can be killed, over real databases. Start at site_test.go for
// how a test gets a server, at visitor_test.go for a person's browser without
// scripts and at chromium_test.go for one with them.
//
// What a client needs to be told is in docs/guides; the tests of the clients
// read it there, so that a guide can't be wrong.
package e2e
