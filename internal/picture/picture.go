// Package picture reads the pictures that people hand in: PNG and JPEG, of
// which a few bytes can ask for minutes of work and gigabytes of memory.
//
// So what a file asks for is worked out from its headers before anything is
// decoded (inspect), and held against Limits; pictures that are large together
// wait for each other; and the work ends with the request that asked for it.
// What comes out was drawn here: nothing else that the file held is in it.
// Nothing else in the house decodes or encodes pictures.
//
// It keeps nothing, and knows nothing of what a picture is for. Start at
// Reader.Read; Logo and Photograph are the two kinds of limits.
package picture

import (
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"

	"golang.org/x/sync/semaphore"

	"github.com/portico-id/portico/internal/fault"
)

// Reason is that of the fault of a file that is no picture, or too large a one.
const Reason = "invalid_picture"

const (
	megabyte = 1 << 20

	// turns is the memory that all pictures being read may take together: a
	// large one is alone.
	turns = 36 * megabyte

	// large is from where on a picture's memory is collected before the next
	// one's turn. The server lets garbage pile up to several times what lives;
	// of sixteen logos that would be half a gigabyte.
	large = 4 * megabyte
)

// Reader reads pictures. A process has one, so that its pictures wait for each
// other. It is safe for concurrent use.
type Reader struct{ turns *semaphore.Weighted }

// NewReader returns a Reader.
func NewReader() *Reader { return &Reader{semaphore.NewWeighted(turns)} }

// Read returns the picture in the file, made so small that its longer side is
// between two and four times that many pixels if it was more. Faults: Invalid
// (Reason), with a sentence for whoever chose the file; Unavailable when the
// context ends, whatever has been done until then.
func (r *Reader) Read(ctx context.Context, file []byte, limits Limits, side int) (Picture, error) {
	work, err := inspect(file)
	if err == nil {
		err = limits.allow(work)
	}
	if err != nil {
		return Picture{}, err
	}
	turn := min(work.memory(), turns)
	if err := r.turns.Acquire(ctx, turn); err != nil {
		return Picture{}, ended(err)
	}
	defer r.turns.Release(turn)
	if work.memory() >= large {
		defer runtime.GC()
	}
	return read(ctx, file, work, side)
}

// read is a function of its own so that the whole picture is garbage when it
// returns.
func read(ctx context.Context, file []byte, work work, side int) (Picture, error) {
	decode := jpeg.Decode
	if work.format == "PNG" {
		decode = png.Decode
	}
	whole, err := decode(&slowly{ctx, file})
	if err == nil {
		var reduced *image.RGBA
		if reduced, err = reduce(ctx, whole, side); err == nil {
			return Picture{work.width, work.height, reduced}, nil
		}
	}
	if ctx.Err() != nil {
		return Picture{}, ended(ctx.Err())
	}
	return Picture{}, broken(work.format).Because(err)
}

// slowly hands out a file in small pieces for as long as the context lasts:
// decoders know no context, and read the few bytes of much work at once.
type slowly struct {
	ctx  context.Context
	rest []byte
}

const piece = 64

func (s *slowly) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	if len(s.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.rest[:min(piece, len(s.rest))])
	s.rest = s.rest[n:]
	return n, nil
}

func ended(err error) error {
	return fault.New(fault.Unavailable, "picture_abandoned", "The picture was not read to its end.").Because(err)
}

func invalid(detail string, args ...any) *fault.Error {
	return fault.Newf(fault.Invalid, Reason, detail, args...)
}

func broken(format string) *fault.Error {
	return invalid("The picture is broken: it does not hold what a %s file must.", format)
}
