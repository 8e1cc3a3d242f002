package blobstore

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Stat implements Store.
func (s *S3) Stat(ctx context.Context, key string) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	object, err := s.core.StatObject(ctx, s.bucket, storedPrefix+key, minio.StatObjectOptions{})
	return Info{Key: key, Size: object.Size, StoredAt: object.LastModified.UTC()}, fromS3(err)
}

// Open implements Store.
func (s *S3) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	info, err := s.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	if length < 0 {
		length = info.Size - from
	}
	if from < 0 || length < 0 || from+length > info.Size {
		return nil, outOfRange()
	}
	if length == 0 { // no range says so
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	options := minio.GetObjectOptions{}
	if err := options.SetRange(from, from+length-1); err != nil {
		return nil, err
	}
	body, _, _, err := s.core.GetObject(ctx, s.bucket, storedPrefix+key, options)
	if err != nil {
		return nil, fromS3(err)
	}
	return body, nil
}

// SignGet implements Store.
func (s *S3) SignGet(ctx context.Context, key string, show Presentation, lifetime time.Duration) (string, error) {
	if err := checkKey(key); err != nil {
		return "", err
	}
	query := url.Values{}
	for name, value := range map[string]string{
		"response-content-type":        show.ContentType,
		"response-content-disposition": show.Disposition,
		"response-cache-control":       show.CacheControl,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	address, err := s.core.PresignedGetObject(ctx, s.bucket, storedPrefix+key, lifetime, query)
	if err != nil {
		return "", fromS3(err)
	}
	return address.String(), nil
}

// Delete implements Store.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return fromS3(s.core.RemoveObject(ctx, s.bucket, storedPrefix+key, minio.RemoveObjectOptions{}))
}

// Quarantine implements Store. The service copies the bytes; none come here.
func (s *S3) Quarantine(ctx context.Context, key string) error {
	if _, err := s.Stat(ctx, key); err != nil {
		return err
	}
	_, err := s.core.ComposeObject(ctx,
		minio.CopyDestOptions{Bucket: s.bucket, Object: quarantinePrefix + key},
		minio.CopySrcOptions{Bucket: s.bucket, Object: storedPrefix + key})
	if err != nil {
		return fromS3(err)
	}
	return s.Delete(ctx, key)
}

// List implements Store. It goes by key.
func (s *S3) List(ctx context.Context, after string, limit int) ([]Info, error) {
	options := minio.ListObjectsOptions{Prefix: storedPrefix, Recursive: true, MaxKeys: min(limit, 1000)}
	if after != "" {
		if err := checkKey(after); err != nil {
			return nil, err
		}
		options.StartAfter = storedPrefix + after
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var found []Info
	for object := range s.core.ListObjectsIter(ctx, s.bucket, options) {
		if object.Err != nil {
			return nil, fromS3(object.Err)
		}
		key := strings.TrimPrefix(object.Key, storedPrefix)
		if found = append(found, Info{key, object.Size, object.LastModified.UTC()}); len(found) == limit {
			break
		}
	}
	return found, nil
}

// Tidy implements Store. The service knows when an upload began, not when its
// last part came.
func (s *S3) Tidy(ctx context.Context, before time.Time) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for upload := range s.core.ListIncompleteUploads(ctx, s.bucket, storedPrefix, true) {
		if upload.Err != nil {
			return fromS3(upload.Err)
		}
		if !upload.Initiated.Before(before) {
			continue
		}
		if err := s.Abort(ctx, strings.TrimPrefix(upload.Key, storedPrefix), upload.UploadID); err != nil {
			return err
		}
	}
	return nil
}
