// Databases as sessions make and drop them. Whoever is connected by a name that none was made by is in the first one.
import type { Databases, Notice } from "./sessionTypes";
import type { State } from "./sessionState";
import { failure } from "./sqlError";
import type { SqlDatabaseStatement } from "./statementTree";

/**
 * Makes or drops a database; without `databases` there is one, which has every name. Throws an `SqlFailure`.
 */
export function runDatabaseStatement(
  { kind, name, guarded, isForced }: SqlDatabaseStatement,
  isPostgres: boolean,
  { status, facts }: State,
  databases: Databases | undefined,
): readonly Notice[] {
  if (isPostgres && status !== "idle")
    throw failure(
      "insideTransaction",
      `${kind.toUpperCase()} cannot run inside a transaction block`,
    );
  if (databases === undefined) return [];
  const isOwn = facts.database === name;
  const isThere = databases.has(name) || isOwn;
  if (kind === "create database") {
    if (isThere && guarded) return [];
    if (isThere)
      throw failure(
        "databaseExists",
        isPostgres
          ? `database "${name}" already exists`
          : `Can't create database '${name}'; database exists`,
      );
    databases.create(name);
    return [];
  }
  if (isPostgres && isOwn)
    throw failure("databaseInUse", "cannot drop the currently open database");
  if (!databases.has(name)) {
    const message = isPostgres
      ? `database "${name}" does not exist`
      : `Can't drop database '${name}'; database doesn't exist`;
    if (!guarded) throw failure("noDatabaseToDrop", message);
    return [{ severity: "NOTICE", code: "00000", message: `${message}, skipping` }];
  }
  if (isPostgres && !isForced && databases.sessions(name) > 0)
    throw failure("databaseInUse", `database "${name}" is being accessed by other users`);
  databases.drop(name);
  return [];
}
