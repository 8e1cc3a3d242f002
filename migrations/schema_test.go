package migrations_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/portico-id/portico/internal/harness/pgtest"
	"github.com/portico-id/portico/migrations"
)

// Each query describes one sort of thing, a line for each, in the same words on
// both engines.
var descriptions = []struct{ what, sqlite, postgres string }{
	{
		"columns",
		`SELECT m.name || '.' || c.name || ' ' ||
			CASE WHEN m.sql LIKE '%CHECK (' || c.name || ' IN (0, 1))%' THEN 'boolean' ELSE lower(c.type) END ||
			CASE WHEN c."notnull" THEN ' not null' ELSE '' END || CASE WHEN c.pk > 0 THEN ' key ' || c.pk ELSE '' END
		FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
		`SELECT t.relname || '.' || a.attname || ' ' ||
			CASE format_type(a.atttypid, a.atttypmod) WHEN 'bigint' THEN 'integer' WHEN 'bytea' THEN 'blob'
				ELSE format_type(a.atttypid, a.atttypmod) END ||
			CASE WHEN a.attnotnull THEN ' not null' ELSE '' END ||
			coalesce(' key ' || array_position(k.conkey, a.attnum), '')
		FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN pg_constraint k ON k.conrelid = t.oid AND k.contype = 'p'
		WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace`,
	},
	{
		"indexes",
		`SELECT m.tbl_name || ' ' || m.name || ' ' || group_concat(coalesce(x.name, 'expression'), ', ') ||
			CASE WHEN i."unique" THEN ' unique' ELSE '' END || CASE WHEN i.partial THEN ' partial' ELSE '' END
		FROM sqlite_schema m JOIN pragma_index_list(m.tbl_name) i ON i.name = m.name
		JOIN pragma_index_info(m.name) x
		WHERE m.type = 'index' AND m.sql IS NOT NULL GROUP BY m.name`,
		`SELECT t.relname || ' ' || c.relname || ' ' || (
				SELECT string_agg(coalesce(a.attname, 'expression'), ', ' ORDER BY k.n)
				FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, n)
				LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum AND k.attnum > 0) ||
			CASE WHEN i.indisunique THEN ' unique' ELSE '' END || CASE WHEN i.indpred IS NOT NULL THEN ' partial' ELSE '' END
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
		WHERE NOT i.indisprimary AND t.relnamespace = 'public'::regnamespace`,
	},
	{
		"foreign keys",
		`SELECT m.name || '.' || f."from" || ' -> ' || f."table" || '.' || f."to" || ' ' || lower(f.on_delete)
		FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
		`SELECT t.relname || '.' || a.attname || ' -> ' || o.relname || '.' || oa.attname || ' ' ||
			CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'a' THEN 'no action' WHEN 'n' THEN 'set null' ELSE k.confdeltype::text END
		FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class o ON o.oid = k.confrelid
		CROSS JOIN LATERAL unnest(k.conkey, k.confkey) AS c (own, other)
		JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.own
		JOIN pg_attribute oa ON oa.attrelid = o.oid AND oa.attnum = c.other
		WHERE k.contype = 'f'`,
	},
}

func TestBothEnginesHaveTheSameStepsByNumberAndName(t *testing.T) {
	sqlite, postgres := stepFiles(t, migrations.SQLite, "*.sql"), stepFiles(t, migrations.Postgres, "*.sql")
	if diff := cmp.Diff(baseNames(sqlite), baseNames(postgres)); diff != "" {
		t.Errorf("steps of SQLite (-) and PostgreSQL (+):\n%s", diff)
	}
}

func TestEveryStepCanBeTakenBackAndNamesABinary(t *testing.T) {
	for _, engine := range []migrations.Engine{migrations.SQLite, migrations.Postgres} {
		ups, downs := stepFiles(t, engine, "*.up.sql"), stepFiles(t, engine, "*.down.sql")
		if diff := cmp.Diff(strings.ReplaceAll(baseNames(ups), ".up.", ".down."), baseNames(downs)); diff != "" {
			t.Errorf("%s: steps up (-) and down (+):\n%s", engine, diff)
		}
		for i, path := range ups {
			want := fmt.Sprintf("INSERT INTO schema_support (version, oldest_binary) VALUES (%d, ", numbers(t)[i])
			if !strings.Contains(string(read(t, path)), want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
}

func TestBothEnginesHaveTheSameSchemaAfterEveryStep(t *testing.T) {
	sqlite := openSQLite(t, filepath.Join(t.TempDir(), "portico.db"))
	postgres := openPostgres(t, pgtest.EmptyURL(t))
	for _, n := range numbers(t) {
		up(t, runner(t, sqlite, migrations.SQLite, upTo(t, migrations.SQLite, n)))
		up(t, runner(t, postgres, migrations.Postgres, upTo(t, migrations.Postgres, n)))
		for _, d := range descriptions {
			want, got := column(t, sqlite, d.sqlite), column(t, postgres, d.postgres)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("step %d, %s of SQLite (-) and PostgreSQL (+):\n%s", n, d.what, diff)
			}
			if len(want) == 0 && d.what == "columns" {
				t.Errorf("step %d: there are no columns to compare", n)
			}
		}
	}
}

func TestTextSortsByBytesOnPostgreSQL(t *testing.T) {
	db := openPostgres(t, pgtest.URL(t))
	bad := column(t, db, `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`)
	if len(bad) > 0 {
		t.Errorf("columns without COLLATE \"C\": %v", bad)
	}
}

func TestTablesAreStrictOnSQLite(t *testing.T) {
	db := openSQLite(t, filepath.Join(t.TempDir(), "portico.db"))
	up(t, runner(t, db, migrations.SQLite, nil))
	bad := column(t, db, `SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`)
	if len(bad) > 0 {
		t.Errorf("tables that are not STRICT: %v", bad)
	}
}

func TestUpDownUpEndsWhereUpDoes(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		r := runner(t, db, engine, nil)
		up(t, r)
		want := describe(t, db, engine)
		all := append([]int{0}, numbers(t)...)
		for i := len(all) - 1; i > 0; i-- {
			if err := r.Down(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if got := status(t, r).Applied; got != all[i-1] {
				t.Fatalf("after taking back step %d the database is at %d", all[i], got)
			}
		}
		if left := describe(t, db, engine); len(left) != 1 || !strings.HasPrefix(left[0], "schema_version.") {
			t.Errorf("taking back everything left %v", left)
		}
		up(t, r)
		if diff := cmp.Diff(want, describe(t, db, engine)); diff != "" {
			t.Errorf("schema after up (-) and after up, down, up (+):\n%s", diff)
		}
	})
}

// describe returns the whole schema as lines.
func describe(t *testing.T, db *sql.DB, engine migrations.Engine) []string {
	t.Helper()
	var all []string
	for _, d := range descriptions {
		query := d.sqlite
		if engine == migrations.Postgres {
			query = d.postgres
		}
		all = append(all, column(t, db, query)...)
	}
	slices.Sort(all)
	return all
}

// samples are rows as they are written when the step that makes their table is
// the newest.
var samples = []struct {
	since         int
	table, insert string
}{
	{1, "users", `INSERT INTO users (id, email, email_key, email_verified, username, username_key, name_key, admin, disabled, two_factor, password_hash, profile, created_at, updated_at, last_sign_in_at) VALUES ('U1', 'a@example.test', 'a@example.test', %[1]s, 'ann', 'ann', 'ann', %[1]s, %[2]s, %[2]s, 'x', '{}', 1, 2, NULL)`},
	{2, "clients", `INSERT INTO clients (id, name, type, profile, owner_user_id, redirect_uris, post_logout_redirect_uris, origins, scopes, backchannel_logout_uri, require_pkce, first_party, internal, disabled, created_at, updated_at) VALUES ('c1', 'n', 'web', 'platform', '', '[]', '[]', '[]', '[]', '', %[1]s, %[2]s, %[2]s, %[2]s, 1, 2)`},
	{2, "client_secrets", `INSERT INTO client_secrets (id, client_id, ordinal, hash, created_at, last_used_at) VALUES ('s1', 'c1', 1, '\x01', 1, NULL)`},
	{3, "login_sessions", `INSERT INTO login_sessions (id, token_hash, user_id, auth_time, acr, amr, created_at, last_seen_at, expires_at, address, user_agent) VALUES ('l1', '\x01', 'U1', 1, '', '[]', 1, 2, 3, '', '')`},
	{3, "login_requests", `INSERT INTO login_requests VALUES ('r1', 'c1', '', 1, 2, '', NULL, %[2]s)`},
	{3, "consents", `INSERT INTO consents (user_id, client_id, scopes, created_at, updated_at) VALUES ('U1', 'c1', '[]', 1, 2)`},
	{4, "grants", `INSERT INTO grants (id, client_id, user_id, session_id, scopes, nonce, claims, auth_time, acr, amr, created_at, generation, rotated_at, expires_at, revoked_at) VALUES ('g1', 'c1', 'U1', 'l1', '[]', '', '', 1, '', '[]', 1, 1, 1, 2, NULL)`},
	{4, "authorize_codes", `INSERT INTO authorize_codes (hash, grant_id, client_id, user_id, session_id, redirect_uri, scopes, narrowed, nonce, challenge, claims, auth_time, acr, amr, issued_at, expires_at, spent_at, revoked_at, verifier_failures) VALUES ('\x01', 'g1', 'c1', 'U1', 'l1', '', '[]', false, '', '', '', 1, '', '[]', 1, 2, NULL, NULL, 0)`},
	{4, "revocations", `INSERT INTO revocations VALUES ('j1', 1)`},
	{5, "signing_keys", `INSERT INTO signing_keys (generation, kid, sealed, public, created_at, active_from) VALUES (1, 'k1', '\x01', '\x02', 1, 2)`},
	{5, "audit_events", `INSERT INTO audit_events (at, actor_kind, actor_id, request_id, address, kind, subject, detail) VALUES (1, 'user', 'U1', '', '', 'k', 's', '')`},
	{5, "leases", `INSERT INTO leases VALUES ('n', 'h', 1)`},
	{6, "service_accounts", `INSERT INTO service_accounts (id, client_id, created_by, name, name_key, email, status, created_at, accessed_at, expires_at) VALUES ('S1', 'c1', 'c1', 'robot', 'robot', 's@example.test', 'ENABLED', 1, NULL, 2)`},
	{6, "service_account_keys", `INSERT INTO service_account_keys (kid, account_id, public, status, created_at, accessed_at) VALUES ('k1', 'S1', '\x01', 'ENABLED', 1, NULL)`},
	{6, "assertion_ids", `INSERT INTO assertion_ids VALUES ('c1', 'j1', 2)`},
	{7, "session_clients", `INSERT INTO session_clients VALUES ('l1', 'c1')`},
	{7, "logout_deliveries", `INSERT INTO logout_deliveries (client_id, user_id, session_id, created_at, attempts, last_status, failure, next_at) VALUES ('c1', 'U1', 's1', 1, 0, 0, '', 1)`},
	{8, "hubs", `INSERT INTO hubs VALUES ('b.h1', 'Hub', 'hub', 'US', 't', '1.0', '', %[1]s, 1, 1)`},
	{8, "hub_members", `INSERT INTO hub_members VALUES ('b.h1', 'U1', %[2]s, 1)`},
	{8, "hub_groups", `INSERT INTO hub_groups VALUES ('gr1', 'b.h1', 'Group', 'group', 1)`},
	{8, "group_members", `INSERT INTO group_members VALUES ('gr1', 'U1')`},
	{8, "app_access", `INSERT INTO app_access VALUES ('b.h1', 'c1', 5, 'listed', 1)`},
	{8, "app_access_users", `INSERT INTO app_access_users VALUES ('b.h1', 'c1', 'U1')`},
	{8, "projects", `INSERT INTO projects (uid, hub_id, name, name_key, type, extension_type, extension_version, extension_data, active, archived, root_uid, created_at, updated_at) VALUES ('b.p1', 'b.h1', 'P', 'p', 'ACC', 't', '1.0', '', %[1]s, %[2]s, 'f1', 1, 1)`},
	{8, "project_members", `INSERT INTO project_members SELECT id, 'U1', %[2]s, 1 FROM projects`},
	{9, "folders", `INSERT INTO folders (uid, project_id, name, name_key, kind, hidden, extension_type, extension_version, extension_data, revision, created_at, created_by, modified_at, modified_by, rollup_at, object_count) SELECT 'f1', id, 'F', 'f', 'root', %[2]s, 't', '1.0', '', 1, 1, 'U1', 1, 'U1', 1, 0 FROM projects`},
	{9, "folder_paths", `INSERT INTO folder_paths SELECT id, '1/', %[1]s FROM folders`},
	{9, "folder_changes", `INSERT INTO folder_changes (folder_id, path, at, objects) VALUES (1, '1/', 1, 1)`},
	{9, "folder_grants", `INSERT INTO folder_grants SELECT id, 'U1', %[2]s, project_id, 1 FROM folders`},
	{9, "objects", `INSERT INTO objects (bucket, object_key, project_id, name, state, size, sha256, item_id, created_at, created_by, stored_at) SELECT 'b', 'k', id, 'n', 'stored', 1, '\x01', NULL, 1, 'U1', 1 FROM projects`},
	{9, "items", `INSERT INTO items (uid, project_id, folder_id, name, name_key, hidden, tip, extension_type, extension_version, extension_data, revision, created_at, created_by, modified_at, modified_by, reserved_by) SELECT 'i1', project_id, id, 'I', 'i', %[2]s, 1, 't', '1.0', '', 1, 1, 'U1', 1, 'U1', '' FROM folders`},
	{9, "versions", `INSERT INTO versions (item_id, number, name, mime_type, file_type, size, object_id, extension_type, extension_version, extension_data, revision, created_at, created_by, modified_at, modified_by) SELECT id, 1, 'I', 'text/plain', 'txt', 1, (SELECT id FROM objects), 't', '1.0', '', 1, 1, 'U1', 1, 'U1' FROM items`},
	{10, "events", `INSERT INTO events (kind, subject, hub_id, project_id, folder_id, at, actor_kind, actor_id, request_id, address, client_id, user_id, on_behalf, data) VALUES ('hub.created', 'b.h1', 'b.h1', '', '', 1, 'operator', '', '', '', '', '', %[2]s, '')`},
	{11, "client_members", `INSERT INTO client_members VALUES ('c1', 'U1', 1)`},
	{11, "client_failures", `INSERT INTO client_failures (client_id, at, kind, got, expected, times, request_id, address) VALUES ('c1', 1, 'scope', '', '', 1, '', '')`},
	{11, "one_time_links", `INSERT INTO one_time_links (hash, purpose, user_id, expires_at) VALUES ('\x01', 'password', 'U1', 1)`},
	{11, "user_groups", `INSERT INTO user_groups (id, name, name_key, description, created_at) VALUES ('ug1', 'Group', 'group', '', 1)`},
	{11, "user_group_members", `INSERT INTO user_group_members (group_id, user_id) VALUES ('ug1', 'U1')`},
	{12, "done_requests", `INSERT INTO done_requests VALUES ('k', 'f', 's', 1, 1)`},
	{13, "uploads", `INSERT INTO uploads (id, object_id, reference, created_at, expires_at) VALUES ('u', 1, 'r', 1, 2)`},
	{13, "project_limits", `INSERT INTO project_limits VALUES (1, 0, 0, 0)`},
	{14, "refs", `INSERT INTO refs (from_folder_id, from_version, to_item_id, to_version, extension_type, extension_version, extension_data, created_at, created_by) SELECT folder_id, 0, id, 1, 'xrefs:t:T', '1.0', '', 1, 'U1' FROM items`},
	{14, "links", `INSERT INTO links (uid, item_id, version, href, mime_type, extension_type, extension_version, extension_data, created_at, created_by) SELECT 'l1', id, 0, 'https://example.test', '', 't', '1.0', '', 1, 'U1' FROM items`},
	{14, "event_positions", `UPDATE event_positions SET last = 1`}, // the step itself makes the one row
	{15, "client_logos", `INSERT INTO client_logos VALUES ('c1', 'h', '\x01')`},
	{16, "server_settings", `INSERT INTO server_settings VALUES ('BASE_URL', 'https://id.example.test')`},
	{17, "facilities", `INSERT INTO facilities (uid, hub_id, name, name_key, props, mutations, created_at, modified_at) VALUES ('t1', 'b.h1', 'T', 't', '', 1, 1, 1)`},
	{17, "facility_members", `INSERT INTO facility_members SELECT id, 'U1', 1, 1 FROM facilities`},
	{17, "twin_models", `INSERT INTO twin_models (uid, facility_id, label, is_default, created_at) SELECT 'm1', id, 'M', %[1]s, 1 FROM facilities`},
	{17, "elements", `INSERT INTO elements (facility_id, model_id, element_key, present) SELECT facility_id, id, 'k', %[1]s FROM twin_models`},
	{17, "properties", `INSERT INTO properties (facility_id, family, column_name, name, type) SELECT id, 'z', 'c', 'C', 'text' FROM facilities`},
	{17, "element_values", `INSERT INTO element_values SELECT e.id, p.id, '"v"', '' FROM elements e CROSS JOIN properties p`},
	{17, "mutations", `INSERT INTO mutations (facility_id, number, model_id, description, at, actor_kind, actor_id, client_id, user_id, on_behalf, undoes, undone_by) SELECT facility_id, 1, id, '', 1, 'operator', '', '', '', %[2]s, 0, 0 FROM twin_models`},
	{17, "mutation_changes", `INSERT INTO mutation_changes SELECT id, 1, 1, '', '"v"' FROM mutations`},
	{17, "twin_documents", `INSERT INTO twin_documents (uid, facility_id, name, label, content_type, size, sha256, blob, revision, created_at, updated_at, source_hub, source_project, source_item, source_version, newest, policy, state, reason, by_client, by_user, by_on_behalf) SELECT 'd1', id, 'D', '', 'application/pdf', 1, '\x01', 'bl1', 0, 1, 1, 'b.h1', 'b.p1', 'i1', 1, 1, 'auto', 'ready', '', 'c1', '', %[2]s FROM facilities`},
	{17, "twin_blobs", `INSERT INTO twin_blobs VALUES ('bl2', 1)`},
	{17, "event_followers", `INSERT INTO event_followers VALUES ('twins', 1)`},
	{18, "webhooks", `INSERT INTO webhooks (uid, project_id, folder_uid, events, url, secret, created_at, created_by, position) SELECT 'w1', id, '', '', 'https://example.test', '\x01', 1, '', 0 FROM projects`},
	{18, "webhook_deliveries", `INSERT INTO webhook_deliveries (webhook_id, event, subject, body, created_at, attempts, last_status, failure) SELECT id, 'dm.version.added', 's', '{}', 1, 0, 0, '' FROM webhooks`},
	{23, "sent_forms", `INSERT INTO sent_forms VALUES ('\x01', 1, '/apps', '\x01', 1, %[2]s)`},
	{24, "other_signing_keys", `INSERT INTO other_signing_keys VALUES ('ES256', 1, 'k1', '\x01', '\x02', 1, 2)`},
	{25, "mails", `INSERT INTO mails (uid, kind, user_id, address, address_key, words, sealed, taken, created_at, attempts, last_status, failure, next_at) VALUES ('m1', 'welcome', 'U1', 'a@b.test', 'a@b.test', '{}', '\x01', 0, 1, 0, 0, '', 1)`},
	{26, "tries", `INSERT INTO tries VALUES ('\x01', 1)`},
	{29, "authenticators", `INSERT INTO authenticators VALUES ('U1', '\x01', 1, 1)`},
	{33, "client_groups", `INSERT INTO client_groups VALUES ('c1', 'ug1')`},
	{33, "client_users", `INSERT INTO client_users VALUES ('c1', 'U1')`},
	{37, "passkeys", `INSERT INTO passkeys VALUES ('p1', 'U1', '\x01', '\x01', 1, 'P', 1, 1)`},
	{38, "imports", `INSERT INTO imports VALUES ('i1', 'U1', '\x01', 1)`},
	{29, "recovery_codes", `INSERT INTO recovery_codes VALUES ('U1', '\x01')`},
	{30, "user_portraits", `INSERT INTO user_portraits VALUES ('U1', 20, 'h', '\x01')`},
	{41, "upstreams", `INSERT INTO upstreams VALUES ('up', 'oidc', 'N', %[2]s, 0, '[]', %[2]s, '{}', '\x01', 1, 1)`},
	{41, "upstream_identities", `INSERT INTO upstream_identities VALUES ('up', 'i', 's', 'U1', '', 1, NULL, NULL)`},
	{41, "upstream_attempts", `INSERT INTO upstream_attempts VALUES ('\x01', 'up', '\x01', '', '', '', '/', 1)`},
	{41, "upstream_groups", `INSERT INTO upstream_groups VALUES ('up', 'there', 'ug1')`},
	{43, "resources", `INSERT INTO resources VALUES ('r1', 'https://r.example.test', 'https://r.example.test', 'R', 'r', '[]', '[]', %[1]s, '[]', '', '', 0, %[2]s, '', 0, %[2]s, 1, 1, 1)`},
	{44, "device_requests", `INSERT INTO device_requests (hash, user_code, client_id, params, address, created_at, expires_at)
		VALUES ('\x01', '\x02', 'c1', '', '', 1, 2)`},
	{45, "scim_connections", `INSERT INTO scim_connections VALUES ('sc1', 'N', 'n', '[]', '', %[2]s, 1)`},
	{45, "scim_tokens", `INSERT INTO scim_tokens VALUES ('st1', 'sc1', 'L', '\x01', 1, 1, 1)`},
	{45, "scim_users", `INSERT INTO scim_users (user_id, connection_id, external_id, user_name, name_key, active, document, version, hidden_at, created_at, updated_at) VALUES ('U1', 'sc1', 'x', 'N', 'n', %[1]s, '{}', 1, NULL, 1, 1)`},
	{45, "scim_groups", `INSERT INTO scim_groups VALUES ('ug1', 'sc1', 'x', 'N', 'n', 1, 1, 1)`},
	{45, "scim_calls", `INSERT INTO scim_calls (connection_id, at, method, path, status, detail, request_id) VALUES ('sc1', 1, 'GET', '/Users', 200, '', '')`},
	{39, "brand", `INSERT INTO brand (name, support_url, terms_url, privacy_url, imprint_url, color, color_dark, logo_hash, logo) VALUES ('N', '', '', '', '', '', '', '', '\x01')`},
	{47, "directories", `INSERT INTO directories VALUES ('up', 1, 2, 'done', '', 1, 1, 1, 0, 0)`},
	{48, "enrolments", `INSERT INTO enrolments VALUES ('c1', '\x01', '', 'a', 'a', 1)`},
	{48, "initial_tokens", `INSERT INTO initial_tokens VALUES ('it1', 'L', '\x01', 1, 1, 1)`},
	{49, "client_invitations", `INSERT INTO client_invitations VALUES ('ci1', 'c1', 'a@example.test', 'a@example.test', 'U1', 'U1', 1, 2)`},
	{52, "archives", `INSERT INTO archives SELECT 'ar1', id, 'U1', 'n.zip', 1, 0, 2, 1, 1, 2 FROM projects`},
	{52, "archive_pages", `INSERT INTO archive_pages VALUES ('ar1', 0, 1, '\x01')`},
	{54, "namings", `INSERT INTO namings SELECT id, '{}' FROM projects`},
	{64, "thumbnails", `INSERT INTO thumbnails SELECT id, '\x01' FROM objects`},
	{65, "transmittals", `INSERT INTO transmittals (project_id, number, title, message, sent_at, sent_by, versions, sent_to, size) SELECT id, 1, 'T', '', 1, 'U1', 1, 1, 0 FROM projects`},
	{65, "transmittal_versions", `INSERT INTO transmittal_versions SELECT id, 0, 'i1', 1, 'a.txt', 0, '', '', '', '' FROM transmittals`},
	{65, "transmittal_people", `INSERT INTO transmittal_people SELECT id, 'U1', '' FROM transmittals`},
	{65, "transmittal_fetches", `INSERT INTO transmittal_fetches (transmittal_id, user_id, place, at) SELECT id, 'U1', 0, 1 FROM transmittals`},
	{58, "upstream_hints", `INSERT INTO upstream_hints SELECT id, '\x01' FROM login_sessions`},
	{59, "upstream_rechecks", `INSERT INTO upstream_rechecks VALUES ('up', 'i', 's', '\x01', 1, 1)`},
	{61, "resource_ends", `INSERT INTO resource_ends VALUES ('https://r.example.test', 1)`},
	{63, "usage_counts", `INSERT INTO usage_counts (client_id, span, began, sign_ins, people, tokens, refused, failed, crowd) VALUES ('c1', 'day', 1, 1, 1, 1, 1, 1, 'AAAAAQ')`},
	{46, "policy", `INSERT INTO policy VALUES ('second_factor', 'everybody')`},
}

// Each row is made at the step that brings its table, and goes through all steps after
// it.
func TestRowsOfEveryStepSurviveToTheLast(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		before := 0
		for _, n := range numbers(t) {
			up(t, runner(t, db, engine, upTo(t, engine, n)))
			insertSamples(t, db, engine, before, n)
			checkSamples(t, db, n)
			before = n
		}
	})
}

func TestEveryTableHasASampleRow(t *testing.T) {
	onBothEngines(t, func(t *testing.T, db *sql.DB, engine migrations.Engine) {
		r := runner(t, db, engine, nil)
		up(t, r)
		insertSamples(t, db, engine, 0, status(t, r).Applied)
		checkSamples(t, db, status(t, r).Applied)
		tables := map[string]bool{"schema_version": true, "schema_support": true}
		for _, s := range samples {
			tables[s.table] = true
		}
		for _, line := range describe(t, db, engine) {
			if table, _, isColumn := strings.Cut(line, "."); isColumn && !strings.Contains(table, " ") && !tables[table] {
				t.Errorf("table %s has no sample row", table)
			}
		}
	})
}

// insertSamples makes the rows of tables that steps after before brought, newest included.
func insertSamples(t *testing.T, db *sql.DB, engine migrations.Engine, before, newest int) {
	t.Helper()
	yes, no := "1", "0"
	if engine == migrations.Postgres {
		yes, no = "true", "false"
	}
	for _, s := range samples {
		if s.since <= before || s.since > newest {
			continue
		}
		insert := s.insert
		if strings.Contains(insert, "%[") {
			insert = fmt.Sprintf(insert, yes, no)
		}
		if engine == migrations.SQLite {
			insert = strings.NewReplacer(`'\x`, `x'`).Replace(insert)
		}
		exec(t, db, insert)
	}
}

func checkSamples(t *testing.T, db *sql.DB, newest int) {
	t.Helper()
	for _, s := range samples {
		if s.since > newest {
			continue
		}
		if n := column(t, db, `SELECT count(*) FROM `+s.table)[0]; n != "1" {
			t.Errorf("table %s has %s rows, want 1", s.table, n)
		}
	}
}
