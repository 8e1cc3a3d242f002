#!/bin/sh
# Copies the database at the first start and follows it from then on. The database waits
# for it with every commit, so that none is lost with its machine.
set -eu
export PGPASSWORD=$POSTGRES_PASSWORD
at="host=db user=$POSTGRES_USER dbname=$POSTGRES_DB connect_timeout=5"
follows() { [ -e "$PGDATA/standby.signal" ]; }
# What makes it a standby is copied last of all; one that was promoted has no label any more.
# What was cut off in between would be a server of its own.
whole() { [ -s "$PGDATA/global/pg_control" ] && { follows || [ ! -e "$PGDATA/backup_label" ]; }; }
told="$PGDATA/database-told-to-wait"
if ! whole; then
  find "$PGDATA" -mindepth 1 -delete
  pg_basebackup -d "$at application_name=standby" -D "$PGDATA" -R -X stream -c fast
  chmod 700 "$PGDATA"
  rm -f "$told" # of another one
fi
if follows; then
  sed -i '/^synchronous_standby_names /d' "$PGDATA/postgresql.auto.conf" # once promoted it waits for nobody
  # Once: whoever has the database wait no longer, for a standby that can't follow, goes on writing.
  if [ ! -e "$told" ]; then
    psql "$at" -v ON_ERROR_STOP=1 -c "ALTER SYSTEM SET synchronous_standby_names = 'standby'" -c "SELECT pg_reload_conf()" && touch "$told" ||
      echo "the database does not answer, and was not told to wait for this standby" >&2
  fi
fi
exec postgres
