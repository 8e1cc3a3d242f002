package picture

import (
	"bytes"
	"encoding/binary"
)

// Markers of ITU-T T.81, table B.1, and of JFIF and Adobe.
const (
	markerSOF0  = 0xc0 // sequential frames: baseline, extended
	markerSOF1  = 0xc1
	markerSOF2  = 0xc2 // a progressive frame
	markerDHT   = 0xc4
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerSOI   = 0xd8
	markerEOI   = 0xd9
	markerSOS   = 0xda
	markerDQT   = 0xdb
	markerDRI   = 0xdd
	markerAPP0  = 0xe0 // to APP15: of applications
	markerAPP14 = 0xee
	markerAPP15 = 0xef
	markerCOM   = 0xfe

	blockCoefficients = 64 * 4 // bytes of 8 × 8 of them
	blockPixels       = 64
)

// jpegHeads is what the segments of a file have said.
type jpegHeads struct {
	work
	components []byte // their identifiers
	passes     int    // of components: one in each scan that has it
	plain      bool   // Adobe's segment says that colours are not transformed
}

// inspectJPEG goes from segment to segment behind the first marker, to the end
// of the picture. It demands that each begins where the one before ended, and
// has a length; the decoder would look for the next, and find another one
// perhaps: a frame, or a thousand scans, that nobody has counted.
func inspectJPEG(rest []byte) (work, error) {
	var h jpegHeads
	for {
		marker, segment, after, ok := nextSegment(rest)
		if !ok {
			return work{}, broken("JPEG")
		}
		if marker == markerEOI {
			break
		}
		if err := h.note(marker, segment); err != nil {
			return work{}, err
		}
		if rest = after; marker == markerSOS {
			rest = afterScan(rest)
		}
	}
	again := !h.gradual && h.passes > len(h.components) // each comes once (A.2)
	if h.format == "" || again {
		return work{}, broken("JPEG")
	}
	h.convert()
	return h.work, nil
}

// nextSegment returns the marker that the bytes begin with and what belongs to
// it; false when they do not begin with one, or end within it.
func nextSegment(rest []byte) (marker byte, segment, after []byte, ok bool) {
	if len(rest) < 2 || rest[0] != 0xff {
		return 0, nil, nil, false
	}
	for len(rest) > 0 && rest[0] == 0xff { // any number of them may fill up
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0] == markerEOI {
		return markerEOI, nil, nil, true
	}
	if len(rest) < 3 {
		return 0, nil, nil, false
	}
	size := 1 + int(binary.BigEndian.Uint16(rest[1:])) // with marker and length
	if size < 3 || size > len(rest) {
		return 0, nil, nil, false
	}
	return rest[0], rest[3:size], rest[size:], true
}

// afterScan passes over the entropy-coded data of a scan: in it 0xff is followed
// by zero or is a restart.
func afterScan(rest []byte) []byte {
	for i := 0; i+1 < len(rest); i++ {
		if next := rest[i+1]; rest[i] == 0xff && next != 0 && next != 0xff && (next < markerRST0 || next > markerRST7) {
			return rest[i:]
		}
	}
	return nil
}

func (h *jpegHeads) note(marker byte, segment []byte) error {
	switch marker {
	case markerSOF0, markerSOF1, markerSOF2:
		if h.format != "" {
			return broken("JPEG")
		}
		return h.frame(segment, marker == markerSOF2)
	case markerSOS:
		if len(segment) == 0 {
			return broken("JPEG")
		}
		h.scans++
		h.passes += int(segment[0])
	case markerAPP14:
		h.plain = h.plain || len(segment) >= 12 && bytes.HasPrefix(segment, []byte("Adobe")) && segment[11] == 0
	case markerDHT, markerDQT, markerDRI, markerCOM:
	default:
		if marker < markerAPP0 || marker > markerAPP15 {
			return broken("JPEG")
		}
	}
	return nil
}

// frame reads the header of the frame (B.2.2): its size, and for each component
// an identifier and how many blocks of it, wide and high, make a unit.
func (h *jpegHeads) frame(segment []byte, progressive bool) error {
	if len(segment) < 9 || len(segment) != 6+3*int(segment[5]) {
		return broken("JPEG")
	}
	h.format, h.gradual = "JPEG", progressive
	h.height, h.width = int(binary.BigEndian.Uint16(segment[1:])), int(binary.BigEndian.Uint16(segment[3:]))
	if h.height == 0 || h.width == 0 {
		return broken("JPEG")
	}
	wide, high := int64(segment[7]>>4), int64(segment[7]&0x0f)
	var blocks int64 // of a unit
	for c := 6; c < len(segment); c += 3 {
		h.components = append(h.components, segment[c])
		blocks += int64(segment[c+1]>>4) * int64(segment[c+1]&0x0f)
	}
	if len(h.components) == 1 {
		wide, high, blocks = 1, 1, 1
	}
	if wide == 0 || high == 0 {
		return broken("JPEG")
	}
	blocks *= units(h.width, wide) * units(h.height, high)
	h.pixels = blocks * blockPixels
	if progressive {
		h.coefficients = blocks * blockCoefficients
	}
	return nil
}

// units is how many units of so many blocks cover the pixels.
func units(pixels int, blocks int64) int64 { return (int64(pixels) + 8*blocks - 1) / (8 * blocks) }

// convert adds what becomes of the components when they are no plain picture:
// four bytes a pixel. Of one that says it is JFIF, too: it may take that back.
func (h *jpegHeads) convert() {
	rgb := h.plain || string(h.components) == "RGB"
	if len(h.components) == 4 || len(h.components) == 3 && rgb {
		h.pixels += 4 * int64(h.width) * int64(h.height)
	}
}
