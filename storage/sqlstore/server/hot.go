package server

import "github.com/portico-id/portico/storage/sqlstore/engine"

// Hot is what is looked for all the time.
func Hot() engine.Hot { return engine.Hot{Read: []string{anyMailDue}} }
