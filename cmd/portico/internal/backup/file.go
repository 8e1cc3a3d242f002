package backup

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"
	"strings"

	"filippo.io/age"
	"github.com/portico-id/portico/internal/fault"
)

const (
	packed     = ".gz"
	bufferSize = 256 << 10
)

// draft is a file that is being written: packed and encrypted as its name says, and
// summed as it lies there.
type draft struct {
	io.Writer
	file *os.File
	sum  hash.Hash
	ends []func() error // of what lies over the file, from below
}

// create makes a file; called is its name, or that which it will have.
func (v *Vault) create(name, called string, recipients []age.Recipient) (*draft, error) {
	file, err := v.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	d := &draft{file: file, sum: sha256.New()}
	buffer := bufio.NewWriterSize(io.MultiWriter(file, d.sum), bufferSize)
	d.Writer, d.ends = buffer, append(d.ends, buffer.Flush)
	if strings.HasSuffix(called, sealed) {
		over, err := age.Encrypt(d.Writer, recipients...)
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		d.Writer, d.ends = over, append(d.ends, over.Close)
	}
	if strings.HasSuffix(strings.TrimSuffix(called, sealed), packed) {
		over, err := gzip.NewWriterLevel(d.Writer, gzip.BestSpeed)
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		d.Writer, d.ends = over, append(d.ends, over.Close)
	}
	return d, nil
}

// finish ends the file so that it survives a power cut, and returns its SHA-256.
func (d *draft) finish() ([]byte, error) {
	for i := len(d.ends) - 1; i >= 0; i-- {
		if err := d.ends[i](); err != nil {
			return nil, errors.Join(err, d.file.Close())
		}
	}
	return d.sum.Sum(nil), errors.Join(d.file.Sync(), d.file.Close())
}

// reading is a file that is being read.
type reading struct {
	io.Reader
	io.Closer
}

// open reads a file as it was before it was packed and encrypted.
func (v *Vault) open(name string, identities []age.Identity) (io.ReadCloser, error) {
	file, err := v.root.Open(name)
	if err != nil {
		return nil, err
	}
	r := reading{bufio.NewReaderSize(file, bufferSize), file}
	if strings.HasSuffix(name, sealed) {
		if r.Reader, err = decrypt(r.Reader, name, identities); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	if strings.HasSuffix(strings.TrimSuffix(name, sealed), packed) {
		if r.Reader, err = gzip.NewReader(r.Reader); err != nil {
			return nil, errors.Join(damaged(name).Because(err), file.Close())
		}
	}
	return r, nil
}

func decrypt(r io.Reader, name string, identities []age.Identity) (io.Reader, error) {
	if len(identities) == 0 {
		return nil, fault.New(fault.Forbidden, ReasonWrongKey,
			"The snapshot is encrypted: give the file with the key that opens it (--identity).")
	}
	opened, err := age.Decrypt(r, identities...)
	var none *age.NoIdentityMatchError
	if errors.As(err, &none) {
		return nil, fault.Newf(fault.Forbidden, ReasonWrongKey,
			"No key that was given opens %s: give the one that belongs to its recipient (--identity).", name).Because(err)
	}
	if err != nil {
		return nil, damaged(name).Because(err)
	}
	return opened, nil
}

// sumOf returns the SHA-256 of a file as it lies there.
func (v *Vault) sumOf(name string) ([]byte, error) {
	file, err := v.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return sum.Sum(nil), err
}
