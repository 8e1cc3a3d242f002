package storage

import "time"

// Progress is what became of the duty to deliver something.
type Progress struct {
	CreatedAt   time.Time
	Attempts    int
	LastAt      time.Time // of the last attempt; zero: none yet
	LastStatus  int       // HTTP status of its answer; 0: none came
	Failure     string    // why it failed, in a few words; empty: it did not
	NextAt      time.Time // of the next attempt; zero: there is none
	DeliveredAt time.Time // zero: it was not
}

// States of a delivery.
const (
	StateDelivered = "delivered"
	StateWaiting   = "waiting" // for its first attempt, or for another
	StateFailed    = "failed"  // given up
)

// State says what has become of the delivery.
func (p Progress) State() string {
	switch {
	case !p.NextAt.IsZero():
		return StateWaiting
	case p.Failure == "":
		return StateDelivered
	}
	return StateFailed
}

// DeliveryAttempt is one try to deliver.
type DeliveryAttempt struct {
	DeliveryID int64
	At         time.Time
	Status     int       // HTTP status of the answer; 0: none came
	Failure    string    // why it failed, in a few words; empty: it was delivered
	NextAt     time.Time // when to try again; zero: not at all
}
