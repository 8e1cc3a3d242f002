package pdf

import (
	"errors"
	"io"
)

const (
	blockSize  = 64 << 10
	keptBlocks = 16
)

// blocks reads a file in blocks, and keeps the last few: the structure of a
// document jumps about.
type blocks struct {
	r    io.ReaderAt
	size int64
	kept map[int64][]byte
	age  []int64 // numbers of the blocks, the oldest first
}

func newBlocks(r io.ReaderAt, size int64) *blocks {
	return &blocks{r: r, size: size, kept: map[int64][]byte{}}
}

// read returns n bytes from the offset on, which must be there.
func (b *blocks) read(offset, n int64) ([]byte, error) {
	all := make([]byte, 0, n)
	for n > 0 {
		block, err := b.block(offset / blockSize)
		if err != nil {
			return nil, err
		}
		from := offset % blockSize
		if from >= int64(len(block)) {
			return nil, io.ErrUnexpectedEOF
		}
		part := block[from:min(from+n, int64(len(block)))]
		all = append(all, part...)
		offset, n = offset+int64(len(part)), n-int64(len(part))
	}
	return all, nil
}

func (b *blocks) block(number int64) ([]byte, error) {
	if block, kept := b.kept[number]; kept {
		return block, nil
	}
	offset := number * blockSize
	block := make([]byte, min(blockSize, max(0, b.size-offset)))
	if n, err := b.r.ReadAt(block, offset); err != nil && (!errors.Is(err, io.EOF) || n < len(block)) {
		return nil, err
	}
	if len(b.age) == keptBlocks {
		delete(b.kept, b.age[0])
		b.age = b.age[1:]
	}
	b.kept[number] = block
	b.age = append(b.age, number)
	return block, nil
}
