package blobstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/portico-id/portico/internal/fault"
	"github.com/portico-id/portico/internal/tracing"
)

// Prefixes of the names in the bucket.
const (
	storedPrefix     = "objects/"
	quarantinePrefix = "quarantine/"
)

// defaultRegion is what services without regions take, and what spares asking.
const defaultRegion = "us-east-1"

// S3Options are where the bucket is. Every field but Region is needed.
type S3Options struct {
	Endpoint  string // such as https://s3.example.test
	Bucket    string
	Region    string // empty: us-east-1
	AccessKey string
	SecretKey string
}

// S3 keeps bytes in a bucket. Clients PUT parts and GET bytes at the service's
// own addresses, which are signed.
type S3 struct {
	core   minio.Core
	bucket string
}

// OpenS3 returns a store over the bucket. It asks the service nothing.
func OpenS3(o S3Options) (*S3, error) {
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" {
		return nil, errors.New("the endpoint must look like https://s3.example.test")
	}
	o.Region = cmp.Or(o.Region, defaultRegion)
	transport, err := minio.DefaultTransport(endpoint.Scheme == "https")
	if err != nil {
		return nil, err
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""),
		Secure: endpoint.Scheme == "https", Region: o.Region,
		Transport: tracing.Transport(transport),
	})
	if err != nil {
		return nil, err
	}
	return &S3{core: minio.Core{Client: client}, bucket: o.Bucket}, nil
}

// Check reports whether the bucket can be reached.
func (s *S3) Check(ctx context.Context) error {
	there, err := s.core.BucketExists(ctx, s.bucket)
	if err == nil && !there {
		err = fmt.Errorf("there is no bucket %s", s.bucket)
	}
	return err
}

// Begin implements Store.
func (s *S3) Begin(ctx context.Context, key string) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	upload, err := s.core.NewMultipartUpload(ctx, s.bucket, storedPrefix+key, minio.PutObjectOptions{})
	return upload, fromS3(err)
}

// PutPart implements Store.
func (s *S3) PutPart(ctx context.Context, key, upload string, number int, body io.Reader, size int64) (Part, error) {
	if err := checkPart(key, number); err != nil {
		return Part{}, err
	}
	counted := &counter{body: body, size: size}
	part, err := s.core.PutObjectPart(ctx, s.bucket, storedPrefix+key, upload, number, counted, size,
		minio.PutObjectPartOptions{DisableContentSha256: true})
	n, ended := counted.read()
	switch {
	case ended != nil && n < size:
		return Part{}, bodyEnded(ended)
	case err == nil && n < size: // it said yes to bytes that nobody has sent yet
		return Part{}, notAsItShould().Because(fmt.Errorf("it took %d bytes of %d", n, size))
	}
	return Part{Number: number, Size: size, ETag: unquoted(part.ETag)}, fromS3(err)
}

// counter reads so many bytes of a body, counts them, and notes how it ends. A connection
// looks for more behind the last one, and goes on reading when the service has already
// answered: by then the body is somebody else's.
type counter struct {
	body io.Reader
	size int64

	mu  sync.Mutex
	n   int64
	err error
}

func (c *counter) Read(p []byte) (int, error) {
	so, _ := c.read()
	if so == c.size {
		return 0, io.EOF
	}
	n, err := c.body.Read(p[:min(int64(len(p)), c.size-so)])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}

// read returns how much was read so far, and how it ended.
func (c *counter) read() (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n, c.err
}

// SignPart implements Store.
func (s *S3) SignPart(ctx context.Context, key, upload string, number int, lifetime time.Duration) (string, error) {
	if err := checkPart(key, number); err != nil {
		return "", err
	}
	query := url.Values{"uploadId": {upload}, "partNumber": {fmt.Sprint(number)}}
	address, err := s.core.Presign(ctx, http.MethodPut, s.bucket, storedPrefix+key, lifetime, query)
	if err != nil {
		return "", fromS3(err)
	}
	return address.String(), nil
}

// Parts implements Store.
func (s *S3) Parts(ctx context.Context, key, upload string) ([]Part, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	var parts []Part
	for marker := 0; ; {
		page, err := s.core.ListObjectParts(ctx, s.bucket, storedPrefix+key, upload, marker, 1000)
		if err != nil {
			return nil, fromS3(err)
		}
		for _, p := range page.ObjectParts {
			parts = append(parts, Part{Number: p.PartNumber, Size: p.Size, ETag: unquoted(p.ETag)})
		}
		if !page.IsTruncated || len(page.ObjectParts) == 0 {
			return parts, nil
		}
		marker = page.NextPartNumberMarker
	}
}

// Complete implements Store. While another completes the upload, a service may
// show some of its parts alone, and end it before it shows the object: what
// looks like that is looked at again.
func (s *S3) Complete(ctx context.Context, key, upload string, parts []Part) error {
	err := s.complete(ctx, key, upload, parts)
	for wait := shortWait; fault.HasReason(err, ReasonPartsChanged) && wait < 10*shortWait && pause(ctx, wait); wait *= 2 {
		err = s.complete(ctx, key, upload, parts)
	}
	if !fault.HasReason(err, ReasonUploadEnded) {
		return err
	}
	_, absent := s.Stat(ctx, key)
	for wait := shortWait; fault.Is(absent, fault.NotFound) && wait < 100*shortWait && pause(ctx, wait); wait *= 2 {
		_, absent = s.Stat(ctx, key)
	}
	if absent == nil {
		return nil
	}
	return err
}

const shortWait = 10 * time.Millisecond

// pause reports whether it could wait to the end.
func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

func (s *S3) complete(ctx context.Context, key, upload string, parts []Part) error {
	found, err := s.Parts(ctx, key, upload)
	if err != nil {
		return err
	}
	if err := sameParts(found, parts); err != nil {
		return err
	}
	named := make([]minio.CompletePart, len(parts))
	for i, p := range parts {
		named[i] = minio.CompletePart{PartNumber: p.Number, ETag: p.ETag}
	}
	_, err = s.core.CompleteMultipartUpload(ctx, s.bucket, storedPrefix+key, upload, named, minio.PutObjectOptions{})
	return fromS3(err)
}

// Abort implements Store.
func (s *S3) Abort(ctx context.Context, key, upload string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	err := fromS3(s.core.AbortMultipartUpload(ctx, s.bucket, storedPrefix+key, upload))
	if fault.HasReason(err, ReasonUploadEnded) {
		return nil
	}
	return err
}

func unquoted(tag string) string { return strings.Trim(tag, `"`) }

// fromS3 gives what the service says a kind.
func fromS3(err error) error {
	if err == nil {
		return nil
	}
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchUpload:
		return UploadEnded().Because(err)
	case minio.NoSuchKey:
		return fault.From(absent()).Because(err)
	case minio.InvalidPart, "InvalidPartOrder":
		return partsChanged().Because(err)
	}
	return notAsItShould().Because(err)
}

func notAsItShould() *fault.Error {
	return fault.New(fault.Unavailable, "", "The object store does not answer as it should. Try again in a moment.")
}
