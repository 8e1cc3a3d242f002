//go:build portico_libcrypto && linux

package libcrypto

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// soname is the OpenSSL whose functions are those below: 3.0 and what follows it.
const soname = "libcrypto.so.3"

// Of openssl/rsa.h and openssl/evp.h.
const (
	keyRSA       = 6
	paddingPKCS1 = 1
)

// Library is the OpenSSL of the system. Its pointers are C's: Go's collector has nothing
// to do with them.
type Library struct {
	version     func(int32) string
	sha256      func() uintptr
	readKey     func(kind int32, key uintptr, der **byte, length int64) uintptr
	freeKey     func(key uintptr)
	newContext  func(key, engine uintptr) uintptr
	freeContext func(context uintptr)
	initialize  func(context uintptr) int32
	setPadding  func(context uintptr, padding int32) int32
	setDigest   func(context, digest uintptr) int32
	sign        func(context uintptr, signature *byte, length *uint64, digest *byte, size uint64) int32
}

// Open loads the library; an error says why it can't.
func Open() (l *Library, err error) {
	defer func() { // a function that it lacks
		if cause := recover(); cause != nil {
			l, err = nil, fmt.Errorf("%s: %v", soname, cause)
		}
	}()
	handle, err := purego.Dlopen(soname, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l = &Library{}
	for name, function := range map[string]any{
		"OpenSSL_version": &l.version, "EVP_sha256": &l.sha256,
		"d2i_PrivateKey": &l.readKey, "EVP_PKEY_free": &l.freeKey,
		"EVP_PKEY_CTX_new": &l.newContext, "EVP_PKEY_CTX_free": &l.freeContext,
		"EVP_PKEY_sign_init": &l.initialize, "EVP_PKEY_CTX_set_rsa_padding": &l.setPadding,
		"EVP_PKEY_CTX_set_signature_md": &l.setDigest, "EVP_PKEY_sign": &l.sign,
	} {
		purego.RegisterLibFunc(function, handle, name)
	}
	return l, nil
}

// Version is what the library calls itself.
func (l *Library) Version() string { return l.version(0) }

// load hands a key over (RFC 8017, A.1.2), and returns what signs a digest of SHA-256 with
// it, in so many bytes. There are as many contexts as processors: whoever signs borrows one.
func (l *Library) load(der []byte, size int) (func(digest []byte) ([]byte, error), error) {
	at := unsafe.SliceData(der)
	theirs := l.readKey(keyRSA, 0, &at, int64(len(der)))
	if theirs == 0 {
		return nil, errors.New("the key can't be read")
	}
	k := &loaded{library: l, size: size, contexts: make(chan uintptr, runtime.GOMAXPROCS(0))}
	for range cap(k.contexts) {
		context, err := l.context(theirs)
		if err != nil {
			k.free()
			l.freeKey(theirs)
			return nil, err
		}
		k.contexts <- context
	}
	l.freeKey(theirs) // contexts hold it
	runtime.AddCleanup(k, func(old loaded) { old.free() }, *k)
	return k.sign, nil
}

func (l *Library) context(key uintptr) (uintptr, error) {
	context := l.newContext(key, 0)
	if context == 0 {
		return 0, errors.New("there is no context for the key")
	}
	if l.initialize(context) != 1 || l.setPadding(context, paddingPKCS1) != 1 || l.setDigest(context, l.sha256()) != 1 {
		l.freeContext(context)
		return 0, errors.New("the key does not sign")
	}
	return context, nil
}

// loaded is a key that the library has.
type loaded struct {
	library  *Library
	size     int
	contexts chan uintptr
}

func (k *loaded) sign(digest []byte) ([]byte, error) {
	context := <-k.contexts
	defer func() { k.contexts <- context }()
	signature, length := make([]byte, k.size), uint64(k.size)
	if k.library.sign(context, &signature[0], &length, &digest[0], uint64(len(digest))) != 1 {
		return nil, errors.New("it did not sign")
	}
	return signature[:length], nil
}

// free gives back what nobody has borrowed: nobody can, once it is called.
func (k loaded) free() {
	for {
		select {
		case context := <-k.contexts:
			k.library.freeContext(context)
		default:
			return
		}
	}
}
