package hubs

import "github.com/portico-id/portico/storage/sqlstore/engine"

// Hot is what browsing and filling a project come down to.
func Hot() engine.Hot {
	return engine.Hot{
		Read:  []string{selectHubPlace, selectPlace, selectElsewhere, findGroup},
		Write: []string{lockTogether, SelectProject},
	}
}
