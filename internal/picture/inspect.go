package picture

import "bytes"

const (
	signaturePNG = "\x89PNG\r\n\x1a\n"

	// maxSide keeps the sums of inspect within 64 bits.
	maxSide = 1 << 24
)

// inspect works out what decoding the file would take, from its headers and in
// one pass over its bytes. It errs on the side of more: a file that it takes
// for less than the decoder does is a hole. Faults: Invalid, when it is neither
// PNG nor JPEG, or one that the decoder would refuse.
func inspect(file []byte) (work, error) {
	switch {
	case bytes.HasPrefix(file, []byte(signaturePNG)):
		return inspectPNG(file[len(signaturePNG):])
	case bytes.HasPrefix(file, []byte{0xff, markerSOI}):
		return inspectJPEG(file[2:])
	}
	return work{}, invalid("The file is not a PNG or JPEG picture.")
}
