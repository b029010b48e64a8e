#!/bin/bash
# What the standby runs (deploy/compose.yaml): at its first start it copies the primary, and then follows it.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # The password comes by the environment, and --write-recovery-conf writes it into a file that only postgres may read.
  until PGPASSWORD=$POSTGRES_PASSWORD pg_basebackup --pgdata "$PGDATA" --wal-method stream --checkpoint fast \
    --write-recovery-conf --dbname "host=$PRIMARY user=replicator application_name=standby"; do
    rm -rf "${PGDATA:?}"/*
    sleep 1
  done
  # Were this one promoted with it, commits would wait for itself.
  echo "synchronous_standby_names = ''" >>"$PGDATA/postgresql.auto.conf"
  chmod 700 "$PGDATA"
fi
exec postgres
