package picture

// Limits say how much a picture may ask for.
type Limits struct {
	Side     int   // pixels of its width, and of its height
	Pixels   int64 // all of them
	Gradual  int64 // all pixels of one that comes gradually: progressive, interlaced
	Scans    int   // passes over a JPEG's pixels: each costs time and hardly a byte
	Memory   int64 // bytes that decoding takes
	maxCoeff int64 // bytes of a progressive JPEG's coefficients among them
}

// Logo is for what is shown small, on every page: sixteen people who set one at
// once cost a small server neither its memory nor a second of its processor.
func Logo() Limits {
	return Limits{
		Side: 2048, Pixels: 2048 * 2048, Gradual: 2048 * 2048, Scans: 32,
		Memory: 34 * megabyte, maxCoeff: 64 * megabyte,
	}
}

// Photograph is for what comes out of a camera.
func Photograph() Limits {
	return Limits{
		Side: 16384, Pixels: 24_000_000, Gradual: 8_000_000, Scans: 32,
		Memory: 100 * megabyte, maxCoeff: 64 * megabyte,
	}
}

// work is what a file asks for.
type work struct {
	format        string // PNG or JPEG
	width, height int
	gradual       bool
	scans         int
	pixels        int64 // bytes of what decoding makes, and of what it makes of that
	coefficients  int64 // bytes
}

func (w work) memory() int64 { return w.pixels + w.coefficients }

// allow refuses what asks for more, with what would do: Invalid.
func (l Limits) allow(w work) error {
	area := int64(w.width) * int64(w.height)
	switch {
	case w.width > l.Side || w.height > l.Side:
		return invalid("The picture has %d × %d pixels; at most %d × %d will do.", w.width, w.height, l.Side, l.Side)
	case area > l.Pixels:
		return invalid("The picture has %d million pixels; at most %d million will do.", area/1e6+1, l.Pixels/1e6)
	case w.gradual && area > l.Gradual:
		return invalid("The picture has %d million pixels, and is saved as a progressive one; at most %d million of such will do.",
			area/1e6+1, l.Gradual/1e6)
	case w.scans > l.Scans:
		return invalid("The picture comes in %d scans; at most %d will do. Save it without “progressive”.", w.scans, l.Scans)
	case w.memory() > l.Memory || w.coefficients > l.maxCoeff:
		return invalid("The picture takes too much memory. Save it with fewer pixels, with 8 bits a channel and without “progressive”.")
	}
	return nil
}
