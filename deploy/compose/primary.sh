#!/bin/bash
# Run once by the image of PostgreSQL, when the primary's data is made (deploy/compose.yaml).
set -euo pipefail

psql --no-psqlrc --set ON_ERROR_STOP=1 --username postgres --dbname postgres \
  --set password="$PINCLUSTER_PASSWORD" --set replicator="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE pincluster LOGIN PASSWORD :'password';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replicator';
CREATE DATABASE pincluster;
REVOKE ALL ON DATABASE pincluster FROM PUBLIC;
GRANT CONNECT, CREATE ON DATABASE pincluster TO pincluster;
-- Enough for a standby that was away for a while.
ALTER SYSTEM SET wal_keep_size = '1GB';
-- From the next start on, which comes right after this: a commit is answered when the standby has it on disk, too.
ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (standby)';
SQL
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
