#!/bin/sh
# Runs once, when the database is made: lets the standby in.
set -eu
echo "host replication $POSTGRES_USER all scram-sha-256" >>"$PGDATA/pg_hba.conf"
