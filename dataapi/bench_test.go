package dataapi_test

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/lib/pq"  // the driver "postgres"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/portico-id/portico/dataapi/jsonapi"
	"github.com/portico-id/portico/internal/gate/middleware"
	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/storage"
)

// BenchmarkPageAndBareHandler compares pages of 200 rows, as the endpoint answers
// them with all its checks, with a bare handler that runs the same SQL and writes
// the rows by encoding/json: requests per second of processor time of this
// process but the client's, in turns of 20. On SQLite the database's counts on
// both sides. Garbage is collected as the server does it. A second handler runs
// the one query for the rows alone, by hand, and scans into a plain struct: what
// no page of this size can go below.
func BenchmarkPageAndBareHandler(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) { benchmarkPage(b, "sqlite", sqliteURL(b)) })
	b.Run("postgres", func(b *testing.B) { benchmarkPage(b, "postgres", pgtest.URL(b)) })
}

func benchmarkPage(b *testing.B, driver, database string) {
	const turn, collectAt = 20, 400
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	s := newScene(newWorld(b, database))
	s.filled(0, 1000)
	db, err := sql.Open(driver, strings.TrimPrefix(database, "sqlite:"))
	s.Must(err)
	b.Cleanup(func() { _ = db.Close() })
	ours := dial(b, s.plainServer(), s.folderURL(s.outer)+"/contents", s.token(as(s.editor)))
	bare := dial(b, httptest.NewServer(bareHandler(s)), "/", "none")
	single := dial(b, httptest.NewServer(singleQuery(b, db, s.outer)), "/", "none")
	var toBare, toSingle []float64
	var our time.Duration
	for b.Loop() {
		one := max(1, cost(b, ours, turn))
		our += one
		toBare = append(toBare, float64(cost(b, bare, turn))/float64(one))
		toSingle = append(toSingle, float64(cost(b, single, turn))/float64(one))
	}
	b.ReportMetric(float64(turn*len(toBare))/our.Seconds(), "pages/cpu-s")
	b.ReportMetric(float64(ours.size)/1000, "page-kB")
	b.ReportMetric(middle(toBare), "ratio")
	b.ReportMetric(float64(bare.size)/1000, "bare-kB")
	b.ReportMetric(middle(toSingle), "ratio-to-single-query")
	b.ReportMetric(float64(single.size)/1000, "single-query-kB")
}

func middle(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

// bareHandler runs the SQL of the page, all of it, and writes the rows.
func bareHandler(s *scene) http.Handler {
	editor := as(s.editor)
	by := storage.Caller{ClientID: editor.client, UserID: editor.user}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, activeErr := s.Store.TokenState(r.Context(),
			storage.TokenQuery{JTI: "jti", ClientID: by.ClientID, UserID: by.UserID})
		_, _, placeErr := s.Store.FindFolder(r.Context(), by, s.tower.ID, s.outer)
		contents, err := s.Store.ListContents(r.Context(), s.tower.ID, s.outer, storage.ContentsQuery{}, storage.DataPage{})
		names, namesErr := s.Store.ListNames(r.Context(), []string{s.editor})
		if err := errors.Join(activeErr, placeErr, err, namesErr); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"contents": contents, "names": names})
	})
}

// plainServer is the endpoints without what tests put around them.
func (s *scene) plainServer() *httptest.Server {
	log := slog.New(slog.DiscardHandler)
	return httptest.NewServer(middleware.Chain(middleware.Options{Ambient: s.Ambient, Log: log,
		WriteError: jsonapi.WriteError}, s.routes()))
}

// singleRow is a row of the page's query: an item with its tip.
type singleRow struct {
	ID, Name, Key, Type, Version, Data, By, ModifiedBy, ReservedBy                              string
	Row, Tip, Revision, Created, Modified                                                       int64
	Reserved, Until                                                                             *int64
	Hidden                                                                                      bool
	TipName, Mime, FileType, TipType, TipVersion, TipData, TipBy, TipModifiedBy, Bucket, Object string
	Number, Size, TipRevision, TipCreated, TipModified                                          int64
	ObjectRow                                                                                   *int64
}

const rowsQuery = `
SELECT i.id, i.uid, i.name, i.name_key, i.hidden, i.tip, i.extension_type, i.extension_version, i.extension_data,
	i.revision, i.created_at, i.created_by, i.modified_at, i.modified_by, i.reserved_by, i.reserved_at, i.reserved_until,
	v.number, v.name, v.mime_type, v.file_type, v.size, v.object_id, v.extension_type, v.extension_version,
	v.extension_data, v.revision, v.created_at, v.created_by, v.modified_at, v.modified_by,
	coalesce(o.bucket, ''), coalesce(o.object_key, '')
FROM (SELECT * FROM items WHERE folder_id = (SELECT id FROM folders WHERE uid = $1) AND NOT hidden
	ORDER BY name_key, id LIMIT 200) i
JOIN versions v ON v.item_id = i.id AND v.number = i.tip
LEFT JOIN objects o ON o.id = v.object_id
ORDER BY i.name_key, i.id`

// singleQuery runs nothing but the query for the rows.
func singleQuery(b *testing.B, db *sql.DB, folder string) http.Handler {
	query, err := db.Prepare(rowsQuery)
	if err != nil {
		b.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rows, err := query.QueryContext(r.Context(), folder)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer rows.Close()
		all := make([]singleRow, 0, 200)
		for rows.Next() {
			var o singleRow
			if err := rows.Scan(&o.Row, &o.ID, &o.Name, &o.Key, &o.Hidden, &o.Tip, &o.Type, &o.Version, &o.Data,
				&o.Revision, &o.Created, &o.By, &o.Modified, &o.ModifiedBy, &o.ReservedBy, &o.Reserved, &o.Until,
				&o.Number, &o.TipName, &o.Mime, &o.FileType, &o.Size, &o.ObjectRow, &o.TipType, &o.TipVersion,
				&o.TipData, &o.TipRevision, &o.TipCreated, &o.TipBy, &o.TipModified, &o.TipModifiedBy,
				&o.Bucket, &o.Object); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			all = append(all, o)
		}
		if rows.Err() != nil || len(all) != storage.MaxPage {
			http.Error(w, fmt.Sprint(rows.Err(), len(all)), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(all)
	})
}

// thinClient sends one request again and again over one connection.
type thinClient struct {
	conn    net.Conn
	reader  *bufio.Reader
	request []byte
	size    int64 // of the last answer, bytes
}

func dial(b *testing.B, server *httptest.Server, path, token string) *thinClient {
	b.Helper()
	b.Cleanup(server.Close)
	host := server.Listener.Addr().String()
	conn, err := net.Dial("tcp", host)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	request := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, host, token)
	return &thinClient{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10), request: []byte(request)}
}

func (c *thinClient) ask(b *testing.B) {
	if _, err := c.conn.Write(c.request); err != nil {
		b.Fatal(err)
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		b.Fatal(err)
	}
	if c.size, err = io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		b.Fatal(response.Status, err)
	}
}

// cost is the processor time that so many requests take on the server's side:
// this process's, without that of the client, which keeps to a thread.
func cost(b *testing.B, c *thinClient, requests int) time.Duration {
	b.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := used(b, syscall.RUSAGE_SELF) - used(b, syscall.RUSAGE_THREAD)
	for range requests {
		c.ask(b)
	}
	return used(b, syscall.RUSAGE_SELF) - used(b, syscall.RUSAGE_THREAD) - before
}

func used(b *testing.B, who int) time.Duration {
	b.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(who, &own); err != nil {
		b.Fatal(err)
	}
	return time.Duration(own.Utime.Nano() + own.Stime.Nano())
}
