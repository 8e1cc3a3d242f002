package blobstore

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"hash/crc32"
	"io"
)

const (
	// copySize is how much is held in memory of what is read or written.
	copySize = 256 << 10

	// headSize is enough for telling what kind of file it is.
	headSize = 4 << 10
)

// Digest is what bytes are known by.
type Digest struct {
	Size   int64
	SHA256 []byte
	SHA1   []byte // for clients that compare it; nothing here relies on it
	CRC32  []byte // for archives
	Head   []byte // the first 4 096 bytes, or all
}

// Sum reads the bytes of a key from end to end. seen, if not nil, hears how
// many were read so far.
func Sum(ctx context.Context, store Store, key string, seen func(int64)) (Digest, error) {
	body, err := store.Open(ctx, key, 0, -1)
	if err != nil {
		return Digest{}, err
	}
	defer body.Close()
	d := Digest{Head: make([]byte, 0, headSize)}
	strong, weak, check := sha256.New(), sha1.New(), crc32.NewIEEE()
	all := io.MultiWriter(strong, weak, check)
	buffer := make([]byte, copySize)
	for {
		if err := ctx.Err(); err != nil {
			return Digest{}, err
		}
		n, err := body.Read(buffer)
		_, _ = all.Write(buffer[:n]) // hashes take everything
		d.Head = append(d.Head, buffer[:min(n, headSize-len(d.Head))]...)
		d.Size += int64(n)
		if seen != nil {
			seen(d.Size)
		}
		if err == io.EOF {
			d.SHA256, d.SHA1, d.CRC32 = strong.Sum(nil), weak.Sum(nil), check.Sum(nil)
			return d, nil
		}
		if err != nil {
			return Digest{}, err
		}
	}
}
