package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"
)

// bits are written from the highest of a byte, with a zero behind each 0xff, as
// the data of a scan are.
type bits struct {
	out  []byte
	acc  uint32
	held int
}

func (b *bits) write(value uint32, n int) {
	for n--; n >= 0; n-- {
		b.acc = b.acc<<1 | value>>n&1
		if b.held++; b.held == 8 {
			b.out = append(b.out, byte(b.acc))
			if byte(b.acc) == 0xff {
				b.out = append(b.out, 0)
			}
			b.held = 0
		}
	}
}

// end fills the last byte up with ones.
func (b *bits) end() []byte {
	b.write(1<<7-1, (8-b.held)%8)
	return b.out
}

func segment(marker byte, data ...byte) []byte {
	return append([]byte{0xff, marker, byte((len(data) + 2) >> 8), byte(len(data) + 2)}, data...)
}

// longestRun is how many blocks one code can say nothing of.
const longestRun = 1<<15 - 1

// head is all of a JPEG up to its first scan: three components with so many
// blocks of the first in a unit, wide and high. Its tables have two codes: 0
// stands for a run of empty blocks, of which 14 bits say how many, 10 for a
// coefficient of one bit, and 110 for one empty block.
func head(marker byte, width, height, wide, high int) []byte {
	out := []byte{0xff, markerSOI}
	codes := [16]byte{1, 1, 1} // one of one bit, one of two, one of three
	out = append(out, segment(0xc4, slices.Concat([]byte{0x00}, codes[:], []byte{0, 1, 2})...)...)
	out = append(out, segment(0xc4, slices.Concat([]byte{0x10}, codes[:], []byte{0xe0, 0x01, 0})...)...)
	out = append(out, segment(0xc4, slices.Concat([]byte{0x11}, codes[:], []byte{0, 1, 2})...)...)
	return append(out, segment(marker, 8, byte(height>>8), byte(height), byte(width>>8), byte(width), 3,
		1, byte(wide<<4|high), 0, 2, 0x11, 0, 3, 0x11, 0)...)
}

// ones is that many bits.
func (b *bits) ones(n int) {
	for range n {
		b.write(1, 1)
	}
}

// scan is one of the first component, of everything but its mean colour. What it
// says of the blocks at the start is in b; of all the others it says nothing,
// which takes two bytes for 32767 of them. corrections are bits that the
// coefficients of the first blocks have to have then.
func scan(b *bits, precision byte, others, corrections int) []byte {
	for runs := (others + longestRun - 1) / longestRun; others > 0; runs-- {
		n := others / runs
		if n < 1<<14 {
			n = 1
			runs = others
			b.write(0b110, 3)
		} else {
			b.write(0, 1)
			b.write(uint32(n-1<<14), 14)
		}
		others -= n
		b.ones(corrections)
		corrections = 0
	}
	return append(segment(markerSOS, 1, 1, 0, 1, 63, precision), b.end()...)
}

// progressive is a JPEG of so many scans over 4:2:0 blocks, in each of which
// each coefficient of the first component must be looked at. So many blocks are
// full of coefficients that each scan corrects with a bit each.
func progressive(side, scans, full int) []byte {
	out := head(markerSOF2, side, side, 2, 2)
	blocks := side * side / 64
	out = append(out, segment(markerSOS, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)...) // mean colours: a bit each
	out = append(out, make([]byte, blocks*6/4/8)...)
	var first bits
	for range full * 63 {
		first.write(0b100, 3)
	}
	out = append(out, scan(&first, 0x01, blocks-full, 0)...)
	for range scans - 2 {
		out = append(out, scan(&bits{}, 0x10, blocks, full*63)...)
	}
	return append(out, 0xff, markerEOI)
}

// sequential is a baseline JPEG whose components come so many times, at two bits
// a block.
func sequential(side, times int) []byte {
	out := head(markerSOF0, side, side, 1, 1)
	for range times {
		out = append(out, segment(markerSOS, 3, 1, 1, 2, 1, 3, 1, 0, 63, 0)...)
		out = append(out, bytes.Repeat([]byte{0}, side*side/64*3*2/8)...)
	}
	return append(out, 0xff, markerEOI)
}

// flat is a PNG of one colour, which packs a thousandfold.
func flat(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func flatJPEG(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func square(side int) image.Rectangle { return image.Rect(0, 0, side, side) }

// translucent is an NRGBA picture, which PNG keeps with all four channels.
func translucent(side int) image.Image {
	picture := image.NewNRGBA(square(side))
	for i := range picture.Pix {
		picture.Pix[i] = 100
	}
	return picture
}

// deep is one of sixteen bits a channel.
func deep(side int) image.Image {
	picture := image.NewNRGBA64(square(side))
	picture.SetNRGBA64(0, 0, color.NRGBA64{1, 2, 3, 4})
	return picture
}

// interlaced is a PNG of eight bits and four channels in seven passes.
func interlaced(t testing.TB, side int) []byte {
	t.Helper()
	var raw bytes.Buffer
	for _, p := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4},
		{1, 0, 2, 2}, {0, 1, 1, 2}} {
		width, height := (side-p[0]+p[2]-1)/p[2], (side-p[1]+p[3]-1)/p[3]
		for range height {
			raw.WriteByte(4) // the filter that takes longest
			raw.Write(make([]byte, 4*width))
		}
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(side)), uint32(side))
	out := append([]byte(signaturePNG), chunk("IHDR", append(header, 8, 6, 0, 0, 1)...)...)
	out = append(out, chunk("IDAT", packed(t, raw.Bytes())...)...)
	return append(out, chunk("IEND")...)
}

func chunk(kind string, data ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}
