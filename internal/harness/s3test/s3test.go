// Package s3test gives tests a real S3-compatible service: versitygw, built from
// the folder gateway into .cache/bin by the Makefile, on loopback and over a folder
// of the test. It ends with the test.
//
// No program but a test may import it. With -short its tests are skipped, for
// the quick loop; otherwise a missing binary fails them.
package s3test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	binary = ".cache/bin/gateway"
	user   = "test-access-key"
	secret = "test-secret-key"

	// patience is how long the service may take to answer for the first time.
	patience = time.Minute
)

// Service is a running service with one bucket.
type Service struct {
	Endpoint  string
	Bucket    string
	AccessKey string
	SecretKey string
	Folder    string // the service's own; the bucket is a folder in it
}

// Start starts a service that ends with the test.
func Start(t testing.TB) Service {
	t.Helper()
	return StartIn(t, t.TempDir())
}

// StartIn is Start with the folder to keep everything in.
func StartIn(t testing.TB, folder string) Service {
	t.Helper()
	if testing.Short() {
		t.Skip("needs an S3 service, which -short leaves out")
	}
	s := Service{Bucket: "bytes", AccessKey: user, SecretKey: secret, Folder: folder}
	program := find(t)
	for try := 1; ; try++ {
		address := freeAddress(t)
		s.Endpoint = "http://" + address
		err := s.run(t, program, address)
		if err == nil {
			return s
		}
		if try == 3 { // somebody else may have taken the port meanwhile
			t.Fatal(err)
		}
	}
}

// find returns the binary's path, from whatever package's folder.
func find(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
			continue
		}
		program := filepath.Join(folder, binary)
		if _, err := os.Stat(program); err != nil {
			t.Fatalf("s3test: %v: build it with `make %s`; go test -short leaves out what needs it", err, binary)
		}
		return program
	}
	t.Fatal("s3test: there is no go.mod above this folder")
	return ""
}

func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// run starts the program, waits until it answers and makes the bucket.
func (s Service) run(t testing.TB, program, address string) error {
	words := &output{}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program,
		address, s.AccessKey, s.SecretKey, s.Folder)
	command.Stdout, command.Stderr = words, words
	command.Env = []string{"HOME=" + s.Folder, "PATH=" + os.Getenv("PATH")}
	endWithTest(command)
	started, ended := make(chan error), make(chan struct{})
	go func() {
		defer close(ended)
		// The program ends with the thread that started it: see endWithTest.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-ended
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.await(ctx, ended); err != nil {
		return fmt.Errorf("the S3 service: %w\n%s", err, words)
	}
	return s.makeBucket(ctx)
}

// await waits until the service answers anything at all.
func (s Service) await(ctx context.Context, ended <-chan struct{}) error {
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Endpoint, http.NoBody)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			return answer.Body.Close()
		}
		select {
		case <-retry.C:
		case <-ended:
			return fmt.Errorf("it ended")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s Service) makeBucket(ctx context.Context) error {
	client, err := minio.New(s.Endpoint[len("http://"):], &minio.Options{
		Creds: credentials.NewStaticV4(s.AccessKey, s.SecretKey, ""), Region: "us-east-1",
	})
	if err != nil {
		return err
	}
	return client.MakeBucket(ctx, s.Bucket, minio.MakeBucketOptions{})
}

// output keeps what the program says.
type output struct {
	mu   sync.Mutex
	said bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said.String()
}
