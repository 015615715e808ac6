// PostgreSQL's views of statistics. Nothing is counted here: they list what there is, with zeros.
import { DATABASE, objectId, relationsOf } from "./objects";
import { systemTable, type About, type Fields, type SystemTable } from "./systemTable";

const TABLE = "relid:oid schemaname:name relname";
const INDEX = "relid:oid indexrelid schemaname:name relname indexrelname";
const SCANS = "seq_scan:int8 seq_tup_read idx_scan idx_tup_fetch";
const CHANGES =
  "n_tup_ins:int8 n_tup_upd n_tup_del n_tup_hot_upd n_live_tup n_dead_tup n_mod_since_analyze n_ins_since_vacuum";
const CARE =
  "last_vacuum:timestamptz last_autovacuum last_analyze last_autoanalyze vacuum_count:int8 autovacuum_count analyze_count autoanalyze_count";
const BLOCKS =
  "heap_blks_read:int8 heap_blks_hit idx_blks_read idx_blks_hit toast_blks_read toast_blks_hit tidx_blks_read tidx_blks_hit";
const DATABASES =
  "datid:oid datname:name numbackends:int4 xact_commit:int8 xact_rollback blks_read blks_hit tup_returned tup_fetched tup_inserted tup_updated tup_deleted conflicts temp_files temp_bytes deadlocks checksum_failures checksum_last_failure:timestamptz blk_read_time:float8 blk_write_time session_time active_time idle_in_transaction_time sessions:int8 sessions_abandoned sessions_fatal sessions_killed stats_reset:timestamptz";
const CONFLICTS =
  "datid:oid datname:name confl_tablespace:int8 confl_lock confl_snapshot confl_bufferpin confl_deadlock";
const WRITER =
  "checkpoints_timed:int8 checkpoints_req checkpoint_write_time:float8 checkpoint_sync_time buffers_checkpoint:int8 buffers_clean maxwritten_clean buffers_backend buffers_backend_fsync buffers_alloc stats_reset:timestamptz";
const ARCHIVER =
  "archived_count:int8 last_archived_wal:text last_archived_time:timestamptz failed_count:int8 last_failed_wal:text last_failed_time:timestamptz stats_reset";

export const PG_STATISTICS: readonly SystemTable[] = [
  ...["all", "user"].flatMap((which) => [
    view(`pg_stat_${which}_tables`, `${TABLE} ${SCANS} ${CHANGES} ${CARE}`, tables),
    view(`pg_statio_${which}_tables`, `${TABLE} ${BLOCKS}`, tables),
    view(`pg_stat_${which}_indexes`, `${INDEX} idx_scan:int8 idx_tup_read idx_tup_fetch`, indexes),
    view(`pg_statio_${which}_indexes`, `${INDEX} idx_blks_read:int8 idx_blks_hit`, indexes),
  ]),
  view("pg_stat_database", DATABASES, database),
  view("pg_stat_database_conflicts", CONFLICTS, database),
  view("pg_stat_bgwriter", WRITER, () => [{}]),
  view("pg_stat_archiver", ARCHIVER, () => [{}]),
];

function view(
  name: string,
  columns: string,
  records: (about: About) => readonly Fields[],
): SystemTable {
  return systemTable("pg_catalog", name, columns, records);
}

function database({ session }: About): readonly Fields[] {
  return [{ datid: DATABASE, datname: session.database }];
}

function tables({ catalog }: About): readonly Fields[] {
  return [...catalog.tables.keys()].map((name) => ({
    relid: objectId(catalog, "relation", name),
    schemaname: "public",
    relname: name,
  }));
}

function indexes({ catalog }: About): readonly Fields[] {
  return relationsOf(catalog).flatMap(({ id, index }) => {
    if (index === undefined) return [];
    const { key, table } = index;
    const relid = objectId(catalog, "relation", table.name);
    const names = { relname: table.name, indexrelname: key.name };
    return [{ relid, indexrelid: id, schemaname: "public", ...names }];
  });
}
