package twins

import (
	"github.com/portico-id/portico/storage/sqlstore/engine"
)

// Hot is what a mutation comes down to, and what follows the originals of documents.
func Hot() engine.Hot {
	return engine.Hot{
		Read: []string{selectPosition, selectDue},
		Write: []string{lockFacility, selectModel, selectProperties, insertMutation, touchFacility, dueOfItem,
			upsertPosition},
	}
}
