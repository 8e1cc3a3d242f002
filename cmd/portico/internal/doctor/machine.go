package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// dataDir looks whether the server can write where it keeps files, and others can't read it.
func dataDir(_ context.Context, p Patient) []Finding {
	dir := p.Config.DataDir
	info, err := os.Stat(dir)
	if err != nil {
		return ill("The data directory "+dir+" is not there.",
			"Start the server once, or set PORTICO_DATA_DIR to where its files are.")
	}
	probe, err := os.CreateTemp(dir, "doctor-")
	if errors.Is(err, fs.ErrPermission) {
		return ill("Nothing can be written into the data directory "+dir+".",
			"Give it to the user who runs the server: chown -R portico "+dir+".")
	}
	if err != nil {
		return ill("Nothing can be written into the data directory "+dir+": "+errors.Unwrap(err).Error()+".",
			"Mount its disk so that it can be written to, and make room there, or move what is there to another one.")
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	if mode := info.Mode().Perm(); mode&0o007 != 0 {
		return doubtful(fmt.Sprintf("Others on this machine can use the data directory %s (mode %04o).", dir, mode),
			"chmod 700 "+dir)
	}
	return nil
}

const (
	muchRoom   = 1 << 30 // bytes that a disk should have left
	littleRoom = 64 << 20
)

func disks(_ context.Context, p Patient) (found []Finding) {
	folders := []string{p.Config.DataDir}
	if p.Config.SQLite() {
		_, path, _ := strings.Cut(p.Config.DatabaseURL.Reveal(), ":")
		folders = append(folders, filepath.Dir(path))
	}
	if !p.Config.S3.Used() {
		folders = append(folders, p.Bytes)
	}
	seen := map[string]bool{}
	for _, folder := range folders {
		if disk := diskOf(folder); !seen[disk] {
			seen[disk] = true
			found = append(found, room(folder)...)
		}
	}
	return found
}

func room(folder string) []Finding {
	left, known := SpaceLeft(folder)
	says := fmt.Sprintf("On the disk of %s are %d MB left.", folder, left>>20)
	const mend = "Make room, or move what is there to a larger disk."
	switch {
	case known && left < littleRoom:
		return ill(says, mend)
	case known && left < muchRoom:
		return doubtful(says, mend)
	}
	return nil
}

// fewDescriptors is what a busy server can run out of.
const fewDescriptors = 4096

func descriptors(context.Context, Patient) []Finding {
	if most, known := maxDescriptors(); known && most < fewDescriptors {
		return doubtful(fmt.Sprintf("The server may have %d files and connections open at once.", most),
			"Allow more: LimitNOFILE=65536 in the systemd unit, or ulimit -n 65536 before the start.")
	}
	return nil
}

// settings looks at files that are named, and at what is allowed, and seldom meant.
func settings(ctx context.Context, p Patient) (found []Finding) {
	c := p.Config
	if err := p.Logo(ctx); err != nil {
		found = ill("The server's picture can't be used: "+Why(err), "Correct PORTICO_BRAND_LOGO, or the file.")
	}
	if _, err := c.TLS.Authorities(); err != nil {
		found = append(found, ill(Why(err), "Correct PORTICO_TLS_CLIENT_CA, or the file.")...)
	}
	if c.RateLimits == nil {
		found = append(found, doubtful("Rate limits are off.",
			"Remove PORTICO_RATE_LIMITS=off, unless a proxy limits calls.")...)
	}
	if strings.HasPrefix(c.BaseURL, "https://") && c.TLS.Cert == "" && len(c.TrustedProxies) == 0 {
		found = append(found, doubtful("People come by https, and the server speaks none: a proxy stands before it that is not believed, so that all addresses in limits and in the log are the proxy's.",
			"Set PORTICO_TRUSTED_PROXIES to the proxy's address.")...)
	}
	return found
}

// soon is how long before its end a certificate should be replaced.
const soon = 14 * 24 * time.Hour

// certificate looks at the files of the server's own certificate.
func certificate(_ context.Context, p Patient) []Finding {
	if p.Config.TLS.Cert == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(p.Config.TLS.Cert, p.Config.TLS.Key)
	if err != nil {
		return ill("Certificate and key can't be used: "+err.Error()+".",
			"Correct PORTICO_TLS_CERT and PORTICO_TLS_KEY; the certificate must be the key's.")
	}
	return lasts(pair.Leaf, p.Ambient.Now())
}

func lasts(leaf *x509.Certificate, now time.Time) []Finding {
	const mend = "Renew it. The server takes the new one up by itself when the files change."
	end := leaf.NotAfter.UTC().Format(time.RFC3339)
	switch {
	case now.After(leaf.NotAfter):
		return ill("The certificate ended on "+end+".", mend)
	case now.Before(leaf.NotBefore):
		return ill("The certificate holds from "+leaf.NotBefore.UTC().Format(time.RFC3339)+" on.", mend)
	case now.Add(soon).After(leaf.NotAfter):
		return doubtful("The certificate ends on "+end+".", mend)
	}
	return nil
}
