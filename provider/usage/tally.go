package usage

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/portico-id/portico/storage"
)

// mostApps is how many apps are counted by themselves between two writes. Those beyond it
// are counted for the server alone.
const mostApps = 2000

// tally is what was counted of an app, or of all.
type tally struct {
	signIns, tokens, refused, failed atomic.Int64

	mu     sync.Mutex // of what follows
	crowd  map[uint32]struct{}
	within uint32 // marks above it don't count; 0: all do
}

func (t *tally) add(d deed, signedIn bool) {
	if signedIn {
		t.signIns.Add(1)
	}
	if d.issued {
		t.tokens.Add(1)
	}
	if d.refused {
		t.refused.Add(1)
	}
	if d.failed {
		t.failed.Add(1)
	}
}

// meet notes the mark of somebody. The smallest are kept, and room for as many again.
func (t *tally) meet(mark uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.within > 0 && mark > t.within {
		return
	}
	if t.crowd == nil {
		t.crowd = map[uint32]struct{}{}
	}
	t.crowd[mark] = struct{}{}
	if len(t.crowd) == 2*storage.CrowdSize {
		kept := t.met()
		t.within = kept[len(kept)-1]
		maps.DeleteFunc(t.crowd, func(one uint32, _ struct{}) bool { return one > t.within })
	}
}

func (t *tally) met() storage.Crowd {
	return storage.Crowd(nil).Met(slices.Collect(maps.Keys(t.crowd))...)
}

// added is what was counted. Nobody counts on it any more.
func (t *tally) added(clientID string, hour time.Time) storage.UsageAdded {
	return storage.UsageAdded{ClientID: clientID, Hour: hour, Crowd: t.met(), UsageCounts: storage.UsageCounts{
		SignIns: t.signIns.Load(), Tokens: t.tokens.Load(), Refused: t.refused.Load(), Failed: t.failed.Load()}}
}

// key is that of a day's marks: nobody can tell without it whose a mark is.
type key [sha256.Size]byte

// longestID is how much of an id a mark is made of.
const longestID = 192

// mark is that of a person on the day of the key.
func (k *key) mark(userID string) uint32 {
	var b [sha256.Size + longestID]byte
	n := copy(b[:], k[:])
	n += copy(b[n:], userID)
	sum := sha256.Sum256(b[:n])
	return binary.BigEndian.Uint32(sum[:])
}
