// Functions about the session, sequences and locks that outlive statements.
import { defaultToText, type Env, type Node } from "../compile/node";
import { failure, unsupported } from "../sqlError";
import { NEVER, type LockMode } from "../advisoryLocks";
import type { SqlValue } from "../values/value";
import { nameIn } from "../system/references";
import { postgresName } from "../values/types";
import { formatValue } from "../values/format";
import {
  computeNode,
  integer,
  only,
  plain,
  tableOf,
  text,
  type FunctionTable,
  type MakeCall,
} from "./define";

export const SESSION: FunctionTable = tableOf({
  nextval: plain("int8", ["text"], ([name], env) => env.work.nextValue(nameIn(text(name)))),
  currval: plain("int8", ["text"], ([name], env) =>
    current(env.work.currentValue(nameIn(text(name)))),
  ),
  lastval: [
    only(
      "postgres",
      plain("int8", [], (_args, env) => current(env.work.currentValue(undefined))),
    ),
    only(
      "mysql",
      plain("int8", ["text"], ([name], env) => env.work.currentValue(text(name)) ?? null),
    ),
  ],
  setval: plain(
    "int8",
    ["text", "int8", "bool"],
    ([name, value, isCalled], env) => {
      return env.work.setValue(nameIn(text(name)), integer(value), isCalled !== false);
    },
    { least: 2 },
  ),
  last_insert_id: [
    only(
      "mysql",
      plain("int8", [], (_args, env) => env.work.session.lastInsert),
    ),
    only(
      "mysql",
      plain("int8", ["int8"], ([value]) => integer(value)),
    ),
  ],
  row_count: only(
    "mysql",
    plain("int8", [], (_args, env) => env.work.session.rowCount),
  ),
  found_rows: only(
    "mysql",
    plain("int8", [], (_args, env) => env.work.session.foundRows),
  ),
  "database schema current_database current_schema": (args, _compiler, call) =>
    args.length > 0
      ? undefined
      : {
          type: "text",
          constant: true,
          run: (env) => (call.name === "current_schema" ? "public" : env.work.session.database),
        },
  "current_user session_user user current_role system_user": (args) =>
    args.length > 0
      ? undefined
      : { type: "text", constant: true, run: (env) => env.work.session.user },
  version: plain("text", [], (_args, env) => env.work.session.version),
  "connection_id pg_backend_pid": plain("int8", [], (_args, env) => env.work.session.identifier),
  current_setting: plain(
    "text",
    ["text", "bool"],
    ([name, isOptional], env) => env.work.setting(text(name), isOptional === true),
    { least: 1 },
  ),
  set_config: plain("text", ["text", "text", "bool"], ([name, value = null, isLocal], env) => {
    env.work.session.keepSetting?.(text(name), text(value), isLocal === true);
    return value;
  }),
  pg_typeof: (args) => {
    const [first] = args;
    if (first === undefined) return undefined;
    return { type: "text", constant: true, run: () => postgresName(first.type) };
  },
  // Where nobody can wait, what would wait fails.
  ...advisory("pg_advisory", "await", "void", (isTaken) => {
    if (isTaken) return "";
    throw failure("lockTimeout", "canceling statement due to lock timeout");
  }),
  ...advisory("pg_try_advisory", "take", "bool", (isTaken) => isTaken),
  pg_advisory_unlock: plain(
    "bool",
    ["int8", "int8"],
    (keys, env) => env.work.locks.release(keys.map(integer).join(), false),
    { least: 1 },
  ),
  pg_advisory_unlock_shared: plain(
    "bool",
    ["int8", "int8"],
    (keys, env) => env.work.locks.release(keys.map(integer).join(), true),
    { least: 1 },
  ),
  pg_advisory_unlock_all: plain("void", [], (_keys, env) => {
    env.work.locks.releaseAll();
    return "";
  }),
  get_lock: only(
    "mysql",
    plain("int8", ["text", "float8"], ([name, seconds = null], env) => {
      const most = Number(seconds);
      const limit = most < 0 ? Number.POSITIVE_INFINITY : most;
      return env.work.locks.await(text(name).toLowerCase(), EXCLUSIVE, limit) ? 1 : 0;
    }),
  ),
  release_lock: only(
    "mysql",
    plain("int8", ["text"], ([name], env) => {
      const key = text(name).toLowerCase();
      if (env.work.locks.holder(key) === undefined) return null;
      return env.work.locks.release(key, false) ? 1 : 0;
    }),
  ),
  is_free_lock: only(
    "mysql",
    plain("int8", ["text"], ([name], env) =>
      env.work.locks.holder(text(name).toLowerCase()) === undefined ? 1 : 0,
    ),
  ),
  is_used_lock: only(
    "mysql",
    plain(
      "int8",
      ["text"],
      ([name], env) => env.work.locks.holder(text(name).toLowerCase()) ?? null,
    ),
  ),
  release_all_locks: only(
    "mysql",
    plain("int8", [], (_args, env) => env.work.locks.releaseAll()),
  ),
  pg_sleep: plain("void", ["float8"], ([seconds], env) => {
    sleep(seconds, env);
    return "";
  }),
  sleep: only(
    "mysql",
    plain("int8", ["float8"], ([seconds], env) => {
      sleep(seconds, env);
      return 0;
    }),
  ),
  hashtext: () => {
    throw unsupported("hashtext()");
  },
  format: only("postgres", formatted),
  num_nonnulls: only("postgres", (args, compiler) =>
    computeNode(
      "int4",
      args,
      compiler,
      (values) => values.filter((value) => value !== null).length,
      true,
    ),
  ),
});

/** Others have their turns meanwhile. */
function sleep(seconds: SqlValue | undefined, { work: { locks } }: Env): void {
  if (Number(seconds ?? 0) > 0) locks.await(NEVER, EXCLUSIVE, Number(seconds));
}

const EXCLUSIVE: LockMode = { isShared: false, isOfTransaction: false };

/** The four functions that take a lock of one kind. */
function advisory(
  prefix: string,
  way: "await" | "take",
  type: "void" | "bool",
  answer: (isTaken: boolean) => SqlValue,
): Readonly<Record<string, MakeCall>> {
  const takes = (isShared: boolean, isOfTransaction: boolean): MakeCall =>
    plain(
      type,
      ["int8", "int8"],
      (keys, env) =>
        answer(env.work.locks[way](keys.map(integer).join(), { isShared, isOfTransaction })),
      { least: 1 },
    );
  return {
    [`${prefix}_lock`]: takes(false, false),
    [`${prefix}_lock_shared`]: takes(true, false),
    [`${prefix}_xact_lock`]: takes(false, true),
    [`${prefix}_xact_lock_shared`]: takes(true, true),
  };
}

function current(value: number | undefined): number {
  if (value !== undefined) return value;
  throw failure("noSequenceValue", "currval of sequence is not yet defined in this session");
}

/** format('%s of %I', ...) */
function formatted(...[given, compiler]: Parameters<MakeCall>): Node | undefined {
  const [pattern, ...others] = given.map(defaultToText);
  if (pattern === undefined) return undefined;
  return computeNode(
    "text",
    [pattern, ...others],
    compiler,
    ([form = null, ...values]) => {
      if (form === null) return null;
      let at = 0;
      return text(form).replace(/%([%sIL])/g, (_, letter: string) => {
        if (letter === "%") return "%";
        const value = values[at] ?? null;
        const shown = value === null ? "" : formatValue(value, others[at]?.type ?? "text");
        at++;
        if (letter === "I")
          return /^[a-z_][a-z0-9_$]*$/.test(shown) ? shown : `"${shown.replaceAll('"', '""')}"`;
        if (letter === "L") return value === null ? "NULL" : `'${shown.replaceAll("'", "''")}'`;
        return shown;
      });
    },
    true,
  );
}
