package antivirus

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

const (
	// chunk is how much goes to clamd at once.
	chunk = 256 << 10

	maxAnswer   = 4 << 10
	dialTimeout = 10 * time.Second
)

// Clamd is a clamd. Its setting StreamMaxLength must be as large as the largest
// file.
type Clamd struct {
	network, address string
}

// Scan implements Scanner with the command INSTREAM: chunks behind their length
// in four bytes, an empty one at the end (clamd's manual, "COMMANDS").
func (c *Clamd) Scan(ctx context.Context, body io.Reader) (string, error) {
	dialer := net.Dialer{Timeout: dialTimeout}
	connection, err := dialer.DialContext(ctx, c.network, c.address)
	if err != nil {
		return "", err
	}
	defer connection.Close()
	stop := context.AfterFunc(ctx, func() { connection.Close() })
	defer stop()
	sent := send(connection, body)
	var own *bodyError
	if errors.As(sent, &own) {
		return "", own
	}
	// Even if it took no more, it says why.
	answer, err := io.ReadAll(io.LimitReader(connection, maxAnswer))
	if len(answer) == 0 {
		return "", errors.Join(sent, err, errors.New("clamd says nothing"))
	}
	return readVerdict(answer)
}

// bodyError is a failure to read what is to be scanned.
type bodyError struct{ error }

func send(to io.Writer, body io.Reader) error {
	if _, err := io.WriteString(to, "zINSTREAM\x00"); err != nil {
		return err
	}
	buffer := make([]byte, 4+chunk)
	for {
		n, err := io.ReadFull(body, buffer[4:])
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return &bodyError{err}
		}
		binary.BigEndian.PutUint32(buffer, uint32(n))
		if n > 0 {
			if _, err := to.Write(buffer[:4+n]); err != nil {
				return err
			}
		}
		if ended {
			_, err := to.Write(make([]byte, 4))
			return err
		}
	}
}

// readVerdict reads "stream: OK", "stream: NAME FOUND" or "… ERROR".
func readVerdict(answer []byte) (string, error) {
	text := string(bytes.TrimRight(answer, "\x00\r\n"))
	verdict, ok := strings.CutPrefix(text, "stream: ")
	if name, found := strings.CutSuffix(verdict, " FOUND"); ok && found {
		return name, nil
	}
	if ok && verdict == "OK" {
		return "", nil
	}
	return "", fmt.Errorf("clamd says %q", text)
}
