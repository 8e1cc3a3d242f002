package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is whom the server runs as: PostgreSQL refuses to run as root. The
// zero account is our own.
type account struct {
	credential *syscall.Credential
}

// serverAccount returns our own account, or for root that of postgres, which
// comes with the package.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	postgres, err := user.Lookup(superuser)
	if err != nil {
		return account{}, fmt.Errorf("it can't run as root, and there is no other account for it: %w", err)
	}
	uid, uidErr := strconv.ParseUint(postgres.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(postgres.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return account{}, err
	}
	return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// own gives a folder to the account.
func (a account) own(folder string) error {
	if a.credential == nil {
		return nil
	}
	return os.Chown(folder, int(a.credential.Uid), int(a.credential.Gid))
}

const (
	superuser    = "postgres"
	folderPrefix = "portico-pgtest-"
	longestPath  = 60 // a socket's path is limited to about a hundred bytes
)

var errNotInstalled = errors.New("PostgreSQL is not installed")
