package tree

import (
	"context"
	"time"

	"github.com/portico-id/portico/internal/ambient"
)

// How much one step of a walk looks at: it begins with what a page of hits
// needs, so that a page that fills at once costs little and a first step ends
// in time even while nothing is in memory.
const (
	firstStep    = 250 // items, and folders
	smallestStep = 50  // what is worth another step
	largestStep  = 25_600
)

// pace fits the steps of a walk into its budget: they grow, as long as what they
// looked at so far says that the next ends in time.
type pace struct {
	budget context.Context
	left   time.Duration // when the last step began
	size   int           // of the last step
}

func newPace(budget context.Context) *pace {
	return &pace{budget: budget, left: ambient.Left(budget), size: firstStep}
}

// next returns the size of the next step; 0 when there is no time for one. It
// takes two thirds of what is left at most, as the next may be slower.
func (p *pace) next() int {
	left := ambient.Left(p.budget)
	took := max(p.left-left, 1)
	fits := float64(p.size) * float64(left) / float64(took) * 2 / 3
	p.left, p.size = left, int(min(float64(2*p.size), largestStep, fits))
	if p.size < smallestStep {
		return 0
	}
	return p.size
}
