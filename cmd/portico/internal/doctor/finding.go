package doctor

import (
	"context"
	"time"

	"github.com/portico-id/portico/cmd/portico/internal/config"
	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/internal/gate/signing"
	"github.com/portico-id/portico/provider/directory"
	"github.com/portico-id/portico/provider/upstreams"
	"github.com/portico-id/portico/storage/blobstore"
	"github.com/portico-id/portico/storage/sqlstore"
)

// patience is how long something has to answer.
const patience = 10 * time.Second

// State is how something is.
type State string

// The states, from good to bad.
const (
	Sound    State = "sound"
	Unseen   State = "unseen"   // what it rests on is ill
	Doubtful State = "doubtful" // it works, and somebody should look
	Ill      State = "ill"
)

// Finding is what a check says of something.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Says  string `json:"says,omitempty"`
	Mend  string `json:"mend,omitempty"` // the next step; there is one for what is ill or doubtful
}

// Patient is what is looked over.
type Patient struct {
	Config config.Config
	Store  *sqlstore.Store // nil: it could not be opened, and nobody is asked for what follows
	Bytes  string          // the folder in which bytes lie that go to no object store

	Keys        func(ctx context.Context) (*signing.KeySet, error)
	Blobs       func() (blobstore.Store, error)
	Upstreams   func() (*upstreams.Upstreams, error)
	Directories func() (*directory.Directories, error)
	Logo        func(ctx context.Context) error // draws the one of the settings
	Ambient     *ambient.Source
}

func ill(says, mend string) []Finding { return []Finding{{State: Ill, Says: says, Mend: mend}} }
func doubtful(says, mend string) []Finding {
	return []Finding{{State: Doubtful, Says: says, Mend: mend}}
}
