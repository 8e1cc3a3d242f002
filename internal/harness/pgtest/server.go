package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/lib/pq" // the driver "postgres"

	"github.com/portico-id/portico/internal/ambient"
	"github.com/portico-id/portico/migrations"
)

// newestBinary is a version that every schema supports.
const newestBinary = "999999.0.0"

// server makes and drops databases on a PostgreSQL server.
type server struct {
	address url.URL // of the maintenance database
	admin   *sql.DB
	own     *cluster // nil for a server that was there before
	run     string   // part of the names of this process's databases
	count   atomic.Int64
	copied  string // how a database is copied, as CREATE DATABASE is told

	templateOnce sync.Once
	template     string
	templateErr  error
}

// start connects to the named server, or starts one.
func start() (*server, error) {
	s := &server{run: ambient.System().ClientID()[:8]}
	if named := os.Getenv(serverVariable); named != "" {
		address, err := url.Parse(named)
		if err != nil {
			return nil, errors.New(serverVariable + " is no URL")
		}
		s.address = *address
		return s, s.connect()
	}
	k := fleeting()
	if os.Getenv(durableVariable) != "" {
		k = durable()
	}
	var err error
	if s.own, err = startCluster(k); err != nil {
		return nil, err
	}
	s.address = url.URL{
		Scheme: "postgres", User: url.User(superuser), Path: "/postgres",
		RawQuery: url.Values{"host": {s.own.folder}, "sslmode": {"disable"}}.Encode(),
	}
	if err = s.connect(); err == nil {
		err = s.chooseCopy()
	}
	if err != nil {
		return nil, errors.Join(err, s.own.stop())
	}
	return s, nil
}

// chooseCopy has files copied as they are: through the log, which newer servers
// prefer for small databases, it is three times the work.
func (s *server) chooseCopy() error {
	const firstToAsk = 15 // the version since which the log is the default
	var version int
	err := s.admin.QueryRow(`SELECT current_setting('server_version_num')::int / 10000`).Scan(&version)
	if version >= firstToAsk {
		s.copied = "STRATEGY FILE_COPY"
	}
	return err
}

// connect waits until the server answers.
func (s *server) connect() error {
	var err error
	if s.admin, err = sql.Open("postgres", s.address.String()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		if err = s.admin.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-retry.C:
		case <-s.own.ended():
			return fmt.Errorf("it ended: %s", s.own.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		}
	}
}

// url returns the URL of a database of the server.
func (s *server) url(name string) string {
	address := s.address
	address.Path = "/" + name
	return address.String()
}

// create makes a database from a template and returns its name.
func (s *server) create(ctx context.Context, template string) (string, error) {
	name := fmt.Sprintf("portico_test_%s_%d", s.run, s.count.Add(1))
	_, err := s.admin.ExecContext(ctx, fmt.Sprintf(`CREATE DATABASE %s TEMPLATE %s %s`, name, template, s.copied))
	return name, err
}

// drop removes a database, whoever is still connected to it.
func (s *server) drop(ctx context.Context, name string) error {
	_, err := s.admin.ExecContext(ctx, fmt.Sprintf(`DROP DATABASE IF EXISTS %s WITH (FORCE)`, name))
	return err
}

// migratedTemplate returns the name of a database with the newest schema, which
// it makes at the first call.
func (s *server) migratedTemplate(ctx context.Context) (string, error) {
	s.templateOnce.Do(func() {
		if s.template, s.templateErr = s.create(ctx, "template0"); s.templateErr == nil {
			s.templateErr = migrateUp(ctx, s.url(s.template))
		}
	})
	return s.template, s.templateErr
}

func migrateUp(ctx context.Context, address string) error {
	db, err := sql.Open("postgres", address)
	if err != nil {
		return err
	}
	defer db.Close()
	runner, err := migrations.New(migrations.Options{DB: db, Engine: migrations.Postgres, Binary: newestBinary})
	if err != nil {
		return err
	}
	return runner.Up(ctx)
}

// stop leaves a foreign server as it was, and takes down an own one.
func (s *server) stop() error {
	var dropErr error
	if s.own == nil && s.template != "" {
		dropErr = s.drop(context.Background(), s.template)
	}
	return errors.Join(dropErr, s.admin.Close(), s.own.stop())
}

const (
	serverVariable  = "PORTICO_TEST_POSTGRES_URL"     // a server to use instead of an own one
	durableVariable = "PORTICO_TEST_POSTGRES_DURABLE" // not empty: the own one is a durable one
)
