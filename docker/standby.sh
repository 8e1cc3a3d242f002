#!/bin/sh
# Copies the database at the first start and follows it from then on. Once it does,
# the database waits for it with every commit, so that none is lost with its machine.
set -eu
export PGPASSWORD=$POSTGRES_PASSWORD
at="host=db user=$POSTGRES_USER dbname=$POSTGRES_DB"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  pg_basebackup -d "$at application_name=standby" -D "$PGDATA" -R -X stream -c fast
  chmod 700 "$PGDATA"
  psql "$at" -c "ALTER SYSTEM SET synchronous_standby_names = 'standby'" -c "SELECT pg_reload_conf()"
fi
exec postgres
