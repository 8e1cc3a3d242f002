package serviceaccounts_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/portico-id/portico/provider/apps"
)

// BenchmarkSignature is one RSA signature, the measure for BenchmarkExchange:
// the target is 1.25 times.
func BenchmarkSignature(b *testing.B) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		b.Fatal(err)
	}
	sum := sha256.Sum256([]byte("payload"))
	for b.Loop() {
		if _, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExchange is the whole request without the network. "cpu-ns/op" is
// the processor time of the process, which leaves out waiting for the disk.
func BenchmarkExchange(b *testing.B) {
	w := newWorld(b, settings{})
	s := w.signer(w.app(apps.Registration{}), "robot")
	for name, changes := range map[string]func(i int) object{
		"without jti": func(int) object { return nil },
		"with jti":    func(i int) object { return object{"jti": fmt.Sprint(b.N, "-", i, "-", w.ambient.UUID())} },
	} {
		b.Run(name, func(b *testing.B) {
			assertions := make([]string, b.N)
			for i := range assertions {
				assertions[i] = s.sign(changes(i))
			}
			b.ResetTimer()
			before := processorTime(b)
			for _, assertion := range assertions {
				w.serveExchange(b, s, assertion)
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime is what the process has used so far.
func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (w *world) serveExchange(b *testing.B, s signer, assertion string) {
	form := exchangeForm(assertion)
	r := httptest.NewRequest(http.MethodPost, tokenPath, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(s.app.ID, s.app.Secret)
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	if recorder.Code != http.StatusOK {
		b.Fatalf("%d %s", recorder.Code, recorder.Body)
	}
}

// BenchmarkCreateKey is the creation of a key while the pool lasts, over HTTP.
func BenchmarkCreateKey(b *testing.B) {
	w := newWorld(b, settings{keysAhead: 3})
	a := w.app(apps.Registration{})
	account := w.account(a, "robot")
	for b.Loop() {
		s := w.key(a, account)
		b.StopTimer()
		w.expect(http.StatusNoContent, "DELETE", accountsPath+"/"+account+"/keys/"+s.kid, a.Token, "")
		for w.Accounts.KeysReady() == 0 {
			runtime.Gosched()
		}
		b.StartTimer()
	}
}
