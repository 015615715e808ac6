// The levels of real databases as rows of data: how statements read, which rows they lock, and what happens if a row has changed. The store
// executes exactly these rows and the search encodes them.
import { dictionary } from "../protocol/dictionary";

import { atBegin } from "../program/declaredLevel";

export type Product =
  | "postgres"
  | "mysql"
  | "mariadb"
  | "sqlserver"
  | "oracle"
  | "cockroach"
  | "yugabyte"
  | "tidb"
  | "sqlite"
  | "mongodb";

/**
 * The two-view model: plain reads use a snapshot unless their level says otherwise, locking statements act on current
 * rows. A locking statement is an UPDATE, a DELETE, a locking SELECT, or any read of a level whose reads lock.
 */
export interface ProductLevel {
  readonly family: "product";
  readonly name: ProductLevelName;
  readonly aliases: readonly string[];
  readonly product: Product;
  readonly label: string;
  readonly summary: string;
  /**
   * The rows that a plain SELECT reads: its snapshot; the newest rows with lasting shared locks (`locking`); the newest committed version
   * of each row when it is visited, waiting for writers (`row`); or the newest version, committed or not.
   */
  readonly plainRead: "snapshot" | "locking" | "row" | "newest-uncommitted";
  /** The time of the snapshot. `begin` may be any moment before the first statement. */
  readonly snapshot: "statement" | "first-statement" | "first-plain-read" | "begin";
  /** The rows in which a locking statement searches: its snapshot, or the newest committed rows. */
  readonly candidates: "snapshot" | "current";
  /** The rows that stay locked: those found in the snapshot, matching current ones, or all visited ones. */
  readonly locks: "candidates" | "matching" | "scanned";
  /**
   * True if a row that a locking read names by key stays locked even if it does not satisfy the rest of the condition; in a change, even if
   * the read is never needed.
   */
  readonly locksNamed: boolean;
  /** True if nobody may insert into a range that a locking statement has searched. */
  readonly gaps: boolean;
  /** True if a range UPDATE skips locked rows whose committed version does not match. */
  readonly skipsLocked: boolean;
  /**
   * The effect of a row that changed since the snapshot: its newest version is rechecked, the transaction fails, nothing happens, or the
   * statement restarts with a new snapshot.
   */
  readonly conflict: "recheck" | "first-updater-wins" | "none" | "restart";
  /** True if an UPDATE that leaves a row's values unchanged creates no version. */
  readonly noVersionOnNoChange: boolean;
  /** True if non-serializable transactions are aborted, whatever locks do. */
  readonly ssi: boolean;
  /**
   * Reads that conflict detection misses: that an existing row made INSERT ... ON CONFLICT DO NOTHING do nothing, which may nevertheless be
   * ordered after the row's deletion.
   */
  readonly overlooks?: "skipped-inserts";
  /** True if what commits is serializable when all transactions run at this level (except for `overlooks`). */
  readonly serializable: boolean;
  /** Compared with a real server's outcomes, or derived from documentation and published tests. */
  readonly evidence: "measured" | "predicted";
}

export type ProductLevelName = `${Product}:${string}`;

/** The fields that distinguish a row from others of its product. */
type Row = Pick<ProductLevel, "label" | "summary"> & {
  readonly aliases?: readonly string[];
} & Partial<Rules>;

type Rules = Omit<ProductLevel, "family" | "name" | "aliases" | "product" | "label" | "summary">;

/** Snapshot isolation by first-updater-wins: most products' strict levels. */
const SNAPSHOT: Rules = {
  plainRead: "snapshot",
  snapshot: "first-statement",
  candidates: "snapshot",
  locks: "candidates",
  locksNamed: false,
  gaps: false,
  skipsLocked: false,
  conflict: "first-updater-wins",
  noVersionOnNoChange: false,
  ssi: false,
  serializable: false,
  evidence: "predicted",
};

const RECHECKING: Rules = { ...SNAPSHOT, snapshot: "statement", conflict: "recheck" };
const RESTARTING: Rules = { ...SNAPSHOT, snapshot: "statement", conflict: "restart" };
const CERTIFIED: Rules = { ...SNAPSHOT, ssi: true, serializable: true };

/** Statements act on current rows and keep matching ones locked. */
const CURRENT: Rules = {
  ...SNAPSHOT,
  snapshot: "statement",
  candidates: "current",
  locks: "matching",
  conflict: "none",
};

const INNODB: Rules = { ...CURRENT, locksNamed: true, noVersionOnNoChange: true };
const INNODB_WEAK: Rules = { ...INNODB, skipsLocked: true };
const INNODB_REPEATABLE: Rules = {
  ...INNODB,
  snapshot: "first-plain-read",
  locks: "scanned",
  gaps: true,
};
const TWO_PHASE: Rules = {
  ...CURRENT,
  plainRead: "locking",
  locks: "scanned",
  gaps: true,
  serializable: true,
};

const MEASURED = { evidence: "measured" } as const;

/** The usual abbreviations, accepted as aliases. */
const SHORT = dictionary<string | undefined>({
  "read-uncommitted": "ru",
  "read-committed": "rc",
  "repeatable-read": "rr",
  serializable: "ser",
});

/** Names that fix what another name leaves to the product's version. They share its rules and are not listed beside it. */
export function spelledOutLevels(): readonly ProductLevel[] {
  const off = MODELLED_LEVELS.filter(({ name }) => name === "mariadb:repeatable-read").map(
    (level): ProductLevel => ({
      ...level,
      name: "mariadb:repeatable-read(snapshot-isolation=off)",
      aliases: [],
      label: "MariaDB REPEATABLE READ without innodb_snapshot_isolation",
    }),
  );
  const atBegins = [...MODELLED_LEVELS, ...off]
    .filter(
      ({ snapshot, plainRead }) => snapshot === "first-plain-read" && plainRead === "snapshot",
    )
    .map((level): ProductLevel => ({
      ...level,
      name: `${level.product}:${atBegin(level.name.slice(level.product.length + 1))}`,
      snapshot: "begin",
      aliases: [],
      label: `${level.label}, WITH CONSISTENT SNAPSHOT`,
    }));
  return [...off, ...atBegins];
}

/** Every modelled product level, weak to strong within a product. */
export const MODELLED_LEVELS: readonly ProductLevel[] = [
  ...levelsOf("postgres", ["pg", "postgresql"], SNAPSHOT, {
    "read-committed": {
      ...RECHECKING,
      ...MEASURED,
      label: "PostgreSQL READ COMMITTED",
      aliases: ["pg:rc", "postgres:rc", "postgresql:read-committed", "postgres:read-uncommitted"],
      summary:
        "Each statement reads a new snapshot; a blocked UPDATE re-checks the newest row. PostgreSQL's default.",
    },
    "repeatable-read": {
      ...MEASURED,
      label: "PostgreSQL REPEATABLE READ",
      summary:
        "One snapshot per transaction; updating a row that changed since then fails with 40001.",
    },
    serializable: {
      ...CERTIFIED,
      ...MEASURED,
      // Observed on PostgreSQL 18.4, with 24 interleavings of 150 random programs.
      overlooks: "skipped-inserts",
      label: "PostgreSQL SERIALIZABLE",
      summary:
        "As if one transaction ran after the other; dangerous ones fail with 40001 and must be retried.",
    },
  }),
  ...innodbLevels("mysql", "MySQL", { evidence: "predicted" }),
  ...innodbLevels("mariadb", "MariaDB", MEASURED),
  ...levelsOf("mariadb", [], INNODB_REPEATABLE, {
    "repeatable-read(snapshot-isolation=on)": {
      ...MEASURED,
      conflict: "first-updater-wins",
      label: "MariaDB REPEATABLE READ with innodb_snapshot_isolation",
      aliases: ["mariadb:rrsi"],
      summary:
        "As REPEATABLE READ, but locking a row that changed since the snapshot fails with 1020. The default since MariaDB 11.6.2.",
    },
  }),
  ...levelsOf("sqlserver", ["mssql"], CURRENT, {
    "read-uncommitted": {
      plainRead: "newest-uncommitted",
      label: "SQL Server READ UNCOMMITTED",
      summary: "A SELECT reads whatever is newest, committed or not, as with the hint NOLOCK.",
    },
    "read-committed": {
      plainRead: "row",
      label: "SQL Server READ COMMITTED",
      summary:
        "A SELECT reads row by row what is committed at that moment, waiting for writers. SQL Server's default.",
    },
    "read-committed-snapshot": {
      label: "SQL Server READ COMMITTED with READ_COMMITTED_SNAPSHOT",
      aliases: ["sqlserver:rcsi", "mssql:rcsi"],
      summary: "Each SELECT reads a new snapshot; UPDATE and DELETE act on the newest rows.",
    },
    "repeatable-read": {
      plainRead: "locking",
      label: "SQL Server REPEATABLE READ",
      summary: "Rows that were read stay locked until the end; new rows may appear.",
    },
    snapshot: {
      ...SNAPSHOT,
      label: "SQL Server SNAPSHOT",
      summary:
        "One snapshot per transaction; updating a row that changed since then fails with 3960.",
    },
    serializable: {
      ...TWO_PHASE,
      label: "SQL Server SERIALIZABLE",
      summary: "What was read stays locked until the end, ranges of keys included.",
    },
  }),
  ...levelsOf("oracle", [], RESTARTING, {
    "read-committed": {
      label: "Oracle READ COMMITTED",
      summary:
        "Each statement reads a new snapshot and starts again when a row it changes has changed. Oracle's default.",
    },
    serializable: {
      ...SNAPSHOT,
      label: "Oracle SERIALIZABLE",
      summary:
        "Snapshot isolation under another name: changing a row that changed since fails with ORA-08177.",
    },
  }),
  ...["cockroach", "yugabyte"].flatMap((product) => distributedLevels(product)),
  ...levelsOf(
    "tidb",
    [],
    { ...CURRENT, skipsLocked: true },
    {
      "read-committed": {
        label: "TiDB READ COMMITTED",
        summary: "Each SELECT reads a new snapshot; UPDATE and DELETE act on the newest rows.",
      },
      "repeatable-read": {
        snapshot: "begin",
        label: "TiDB REPEATABLE READ (pessimistic)",
        summary:
          "Reads see the snapshot of BEGIN, UPDATE and DELETE act on the newest rows. TiDB's default.",
      },
      optimistic: {
        ...SNAPSHOT,
        snapshot: "begin",
        label: "TiDB optimistic transactions",
        summary: "Reads see the snapshot of BEGIN; who commits second to a row fails.",
      },
    },
  ),
  ...levelsOf("sqlite", [], CERTIFIED, {
    serializable: {
      label: "SQLite",
      summary:
        "One writer at a time; a reader that wants to write after another commit fails with SQLITE_BUSY_SNAPSHOT.",
    },
  }),
  ...levelsOf("mongodb", [], SNAPSHOT, {
    snapshot: {
      label: "MongoDB transactions with read concern snapshot",
      summary:
        "One snapshot per transaction; writing a document that changed since then fails with WriteConflict.",
    },
  }),
];

function innodbLevels(
  product: "mysql" | "mariadb",
  label: string,
  evidence: Pick<Rules, "evidence">,
): readonly ProductLevel[] {
  return levelsOf(product, product === "mysql" ? ["my", "innodb"] : [], INNODB, {
    "read-uncommitted": {
      ...INNODB_WEAK,
      ...evidence,
      plainRead: "newest-uncommitted",
      label: `${label} READ UNCOMMITTED`,
      summary: "A SELECT reads whatever is newest, committed or not.",
    },
    "read-committed": {
      ...INNODB_WEAK,
      ...evidence,
      label: `${label} READ COMMITTED`,
      summary:
        "Each SELECT reads a new snapshot; UPDATE and DELETE act on the newest committed rows.",
    },
    "repeatable-read": {
      ...INNODB_REPEATABLE,
      ...evidence,
      label: `${label} REPEATABLE READ`,
      summary: `SELECT reads the snapshot of the first one, UPDATE and DELETE act on the newest rows, which may be others. ${
        product === "mysql" ? "MySQL's default." : "MariaDB's default before 11.6.2."
      }`,
    },
    serializable: {
      ...INNODB_REPEATABLE,
      ...evidence,
      plainRead: "locking",
      serializable: true,
      label: `${label} SERIALIZABLE`,
      summary: "Every SELECT locks what it reads in share mode; what collides fails with 1213.",
    },
  });
}

function distributedLevels(name: string): readonly ProductLevel[] {
  const product = name === "cockroach" ? "cockroach" : "yugabyte";
  const label = product === "cockroach" ? "CockroachDB" : "YugabyteDB";
  return levelsOf(product, product === "cockroach" ? ["crdb"] : [], SNAPSHOT, {
    "read-committed": {
      ...RESTARTING,
      label: `${label} READ COMMITTED`,
      summary:
        "Each statement reads a new snapshot and starts again when a row it changes has changed.",
    },
    "repeatable-read": {
      label: `${label} REPEATABLE READ`,
      summary:
        "One snapshot per transaction; updating a row that changed since then fails with 40001.",
    },
    serializable: {
      ...CERTIFIED,
      label: `${label} SERIALIZABLE`,
      summary: "As if one transaction ran after the other; others fail with 40001.",
    },
  });
}

/** The rows of one product; other product names and short level names become aliases. */
function levelsOf(
  product: Product,
  otherNames: readonly string[],
  rules: Rules,
  rows: Readonly<Record<string, Row>>,
): readonly ProductLevel[] {
  return Object.entries(rows).map(([level, row]): ProductLevel => {
    const short = SHORT[level];
    const aliases = [
      ...(row.aliases ?? []),
      ...otherNames.map((each) => `${each}:${level}`),
      ...(short === undefined ? [] : [product, ...otherNames].map((each) => `${each}:${short}`)),
    ];
    return {
      ...rules,
      ...row,
      family: "product",
      product,
      name: `${product}:${level}`,
      aliases: [...new Set(aliases)],
    };
  });
}
