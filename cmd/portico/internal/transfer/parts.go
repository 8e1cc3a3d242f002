package transfer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
)

const (
	// senders is how many parts are on their way at once.
	senders = 3

	usualPart = 32 << 20 // bytes
	maxParts  = 10_000
	wholePart = 1 << 20 // what the size of parts is a multiple of
)

// MinPart is how large all parts but the last must be, in bytes.
const MinPart = 5 << 20

// MaxPart is how large a part may be, in bytes.
const MaxPart = 5 << 30

// partSize returns how large the parts of a file are, the last one excepted:
// as wanted, unless they were too many then.
func partSize(wanted, size int64) int64 {
	wanted = cmp.Or(wanted, usualPart)
	least := (size + maxParts - 1) / maxParts
	return max(wanted, MinPart, (least+wholePart-1)/wholePart*wholePart)
}

// addresses is the answer with which an upload begins or goes on.
type addresses struct {
	UploadKey string
	URLs      []string
	Parts     []struct {
		Part int
		Size int64
	}
}

func (c *Client) addresses(ctx context.Context, r *resumption, part int) (addresses, error) {
	query := url.Values{"firstPart": {strconv.Itoa(part)}, "parts": {"1"}, "minutesExpiration": {"60"}}
	if r.UploadKey != "" {
		query.Set("uploadKey", r.UploadKey)
	}
	var a addresses
	err := c.call(ctx, http.MethodGet, objectPath(r.Object)+"/signeds3upload?"+query.Encode(), nil, &a)
	if err == nil && (len(a.URLs) != 1 || a.UploadKey == "") {
		err = refusal("the server's answer can't be read: there is no address for part %d", part)
	}
	return a, err
}

// sending is the sending of all parts that are missing.
type sending struct {
	*Client
	file  *os.File
	of    *resumption
	parts chan int

	mu   sync.Mutex
	done int64 // bytes
}

// sendParts sends what the server does not have.
func (c *Client) sendParts(ctx context.Context, file *os.File, r *resumption) error {
	known, err := c.addresses(ctx, r, 1)
	if err != nil {
		return err
	}
	if r.UploadKey == "" {
		r.UploadKey = known.UploadKey
		if err := c.keep(r); err != nil {
			return err
		}
	}
	s := &sending{Client: c, file: file, of: r, parts: make(chan int)}
	there := map[int]bool{}
	for _, part := range known.Parts {
		if part.Part <= r.parts() && part.Size == r.sizeOf(part.Part) {
			there[part.Part] = true
			s.moved(part.Size)
		}
	}
	return s.run(ctx, there)
}

// run lets several send until all parts are there or one can't be sent.
func (s *sending) run(ctx context.Context, there map[int]bool) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var work sync.WaitGroup
	for range senders {
		work.Go(func() {
			for part := range s.parts {
				if err := s.send(ctx, part); err != nil {
					stop(err)
				}
			}
		})
	}
	for part := 1; part <= s.of.parts() && ctx.Err() == nil; part++ {
		if !there[part] {
			select {
			case s.parts <- part:
			case <-ctx.Done():
			}
		}
	}
	close(s.parts)
	work.Wait()
	return context.Cause(ctx)
}

// parts is how many there are; an empty file has one.
func (r *resumption) parts() int { return int(max(1, (r.Size+r.PartSize-1)/r.PartSize)) }

func (r *resumption) sizeOf(part int) int64 {
	return min(r.PartSize, r.Size-int64(part-1)*r.PartSize)
}

// moved counts bytes, or takes them back.
func (s *sending) moved(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done += n
	s.progress(s.done, s.of.Size)
}

// send sends one part until the server has it.
func (s *sending) send(ctx context.Context, part int) error {
	return s.insist(ctx, func() (bool, error) {
		to, err := s.addresses(ctx, s.of, part)
		if err != nil {
			return false, err
		}
		body := &counted{from: io.NewSectionReader(s.file, int64(part-1)*s.of.PartSize, s.of.sizeOf(part)), moved: s.moved}
		err = s.put(ctx, to.URLs[0], body, s.of.sizeOf(part))
		if err != nil {
			s.moved(-body.n)
		}
		return false, err
	})
}

func (s *sending) put(ctx context.Context, address string, body *counted, size int64) error {
	if info, err := s.file.Stat(); err != nil || info.Size() != s.of.Size || !info.ModTime().Equal(s.of.Modified) {
		return errors.Join(changed(s.file.Name()), err)
	}
	ended := make(chan struct{})
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, address, &closing{body, ended})
	if err != nil {
		return err
	}
	if request.ContentLength = size; size == 0 {
		request.Body = http.NoBody
		close(ended)
	}
	response, err := s.http.Do(request)
	if err != nil {
		<-ended // nobody reads the body any more
		return &awayError{hidden(err), 0}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	<-ended
	switch {
	case err != nil:
		return &awayError{err, 0}
	case response.StatusCode == http.StatusOK:
		return nil
	}
	err = failureOf(response, answer)
	if response.StatusCode == http.StatusForbidden && !hasCode(err, "quota_exceeded") {
		return &awayError{err, 0} // the address has ended; another one may be had
	}
	return err
}

// counted counts what is read, as progress.
type counted struct {
	from  io.Reader
	n     int64
	moved func(int64)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if n > 0 {
		c.n += int64(n)
		c.moved(int64(n))
	}
	return n, err
}

// closing tells when the transport has done with a body.
type closing struct {
	io.Reader
	ended chan struct{}
}

func (c *closing) Close() error {
	select {
	case <-c.ended:
	default:
		close(c.ended)
	}
	return nil
}
