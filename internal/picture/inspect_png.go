package picture

import "encoding/binary"

// inspectPNG reads the chunk that must be the first (PNG third edition, 11.2.1).
// What unfolds from the others is bounded by what it says: the decoder reads no
// further, and knows each pixel once.
func inspectPNG(rest []byte) (work, error) {
	if len(rest) < 25 || string(rest[:8]) != "\x00\x00\x00\x0dIHDR" {
		return work{}, invalid("The file is not a PNG or JPEG picture.")
	}
	width, height := binary.BigEndian.Uint32(rest[8:]), binary.BigEndian.Uint32(rest[12:])
	depth, interlaced := rest[16], rest[20] != 0
	if width == 0 || height == 0 || width > maxSide || height > maxSide {
		return work{}, broken("PNG")
	}
	w := work{format: "PNG", width: int(width), height: int(height), gradual: interlaced}
	w.pixels = 4 * int64(width) * int64(height) // a palette or a grey may come with transparency
	if depth == 16 {
		w.pixels *= 2
	}
	if interlaced {
		w.pixels *= 2 // its passes are pictures of their own
	}
	return w, nil
}
