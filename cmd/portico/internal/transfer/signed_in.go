package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// SignedIn is what portico login got, kept in a file that its owner alone reads.
type SignedIn struct {
	Server   string    `json:"server"`
	ClientID string    `json:"client_id"`
	Access   string    `json:"access_token"`
	Refresh  string    `json:"refresh_token"`
	Ends     time.Time `json:"ends"` // of the access token
}

// ReadSignedIn reads the file; there is none before the first sign-in.
func ReadSignedIn(file string) (s SignedIn, found bool, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil && (json.Unmarshal(text, &s) != nil || s.Refresh == "") {
		err = fmt.Errorf("%s holds no sign-in: run portico login", file)
	}
	return s, err == nil, err
}

// Write replaces the file whole: whoever is interrupted keeps what was there.
func (s SignedIn) Write(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return writeWhole(file, text)
}
