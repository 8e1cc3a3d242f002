package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// standby runs the script of the compose file's standby, over programs that note that they
// were called. What pg_basebackup does is given.
func standby(t *testing.T, data, copying, psql string) (calls string) {
	t.Helper()
	programs := t.TempDir()
	noted := filepath.Join(programs, "calls")
	for name, does := range map[string]string{"pg_basebackup": copying, "psql": psql, "postgres": "true"} {
		text := "#!/bin/sh\necho " + name + " >>" + noted + "\n" + does + "\n"
		if err := os.WriteFile(filepath.Join(programs, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "sh", filepath.Join(root, "docker/standby.sh"))
	command.Env = []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "PGDATA=" + data, "POSTGRES_USER=u",
		"POSTGRES_DB=d", "POSTGRES_PASSWORD=p"}
	_, _ = command.CombinedOutput() // it fails with what it calls
	text, err := os.ReadFile(noted)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// PostgreSQL copies what makes a folder a server last: pg_control, and then what makes that a
// standby. Without the latter it would be a second server that takes writes.
//
// Rule: SERVER-61
func TestTheStandbyOfTheComposeFileIsAWholeOneWheneverItIsKilled(t *testing.T) {
	const (
		begun  = `[ -z "$(ls -A $PGDATA)" ] && mkdir $PGDATA/global && echo 15 >$PGDATA/PG_VERSION && touch $PGDATA/backup_label`
		nearly = begun + ` && echo x >$PGDATA/global/pg_control`
		whole  = nearly + ` && touch $PGDATA/standby.signal $PGDATA/postgresql.auto.conf`
		killed = " && false"
		all    = "pg_basebackup psql postgres"
	)
	for name, dies := range map[string]string{"early": begun + killed, "late": nearly + killed} {
		data := t.TempDir()
		if calls := standby(t, data, dies, "true"); calls != "pg_basebackup" {
			t.Errorf("%s: a copy that was cut off is used: %s", name, calls)
		}
		if calls := standby(t, data, whole, "true"); calls != all {
			t.Errorf("%s: a copy that was cut off is used at the next start: %s", name, calls)
		}
	}
	data := t.TempDir()
	standby(t, data, whole, "kill $PPID")
	if calls := standby(t, data, whole, "false"); calls != "psql postgres" {
		t.Errorf("without the database it does not start: %s", calls)
	}
	// The first of two statements fails, as on a full disk.
	if calls := standby(t, data, whole, `case "$*" in *ON_ERROR_STOP=1*) exit 1 ;; esac`); calls != "psql postgres" {
		t.Errorf("a database that can't do what it is told is told more than that: %s", calls)
	}
	if calls := standby(t, data, whole, "true"); calls != "psql postgres" {
		t.Errorf("the database does not wait for one that has not told it so yet, or told it in vain: %s", calls)
	}
	if calls := standby(t, data, whole, "true"); calls != "postgres" {
		t.Errorf("a database that was told to wait no longer waits again, maybe for one that can't follow: %s", calls)
	}
	for _, gone := range []string{"standby.signal", "backup_label"} {
		if err := os.Remove(filepath.Join(data, gone)); err != nil {
			t.Fatal(err)
		}
	}
	if calls := standby(t, data, whole, "true"); calls != "postgres" {
		t.Errorf("one that was promoted does more than start: %s", calls)
	}
}

// A database that waits for a standby already says so in the copy, too.
//
// Rule: SERVER-61
func TestAStandbyThatIsPromotedWaitsForNobody(t *testing.T) {
	data := t.TempDir()
	settings := filepath.Join(data, "postgresql.auto.conf")
	standby(t, data, `mkdir $PGDATA/global && echo x >$PGDATA/global/pg_control && touch $PGDATA/standby.signal &&
		printf "synchronous_standby_names = 'standby'\nprimary_conninfo = 'host=db'\n" >$PGDATA/postgresql.auto.conf`, "true")
	if text, err := os.ReadFile(settings); err != nil || string(text) != "primary_conninfo = 'host=db'\n" {
		t.Errorf("its settings are %q, %v", text, err)
	}
}
