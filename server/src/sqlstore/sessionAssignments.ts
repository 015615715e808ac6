// SET: settings of the session, and MySQL's user variables.
import type { Reply, Request } from "../exploration/client";
import { plainSetting } from "./mysql/settings";
import { selectOf } from "./selectOf";
import { LEVEL_SETTING, READ_ONLY_SETTING, settingText } from "./sessionParts";
import type { SessionSettings } from "./sessionSettings";
import type { State } from "./sessionState";
import type { SqlResult } from "./sessionTypes";
import type { SqlExpression, SqlQuery } from "./tree";
import type { SqlStatement } from "./statementTree";

export type Assignment = Extract<SqlStatement, { readonly kind: "set" }>["assignments"][number];

export interface AssignmentHost {
  readonly isPostgres: boolean;
  readonly state: State;
  readonly settings: SessionSettings;
  /** The level of sessions that ask for none. */
  readonly level: string | undefined;
  readonly commit: () => Generator<Request, void, Reply>;
  readonly setLevel: (level: string) => Generator<Request, void, Reply>;
  /** Runs a query in the transaction at hand, or in one of its own. */
  readonly query: (query: SqlQuery) => Generator<Request, SqlResult, Reply>;
}

export function* runAssignment(
  { name, user, value, local = false }: Assignment,
  host: AssignmentHost,
): Generator<Request, void, Reply> {
  const { state } = host;
  if (user) {
    const { rows, columns } = yield* host.query(selectOf([value ?? { kind: "null" }]));
    const type = columns[0]?.type ?? "text";
    state.variables.set(name, { type, value: rows[0]?.[0] ?? null });
    return;
  }
  // Outside of a transaction SET LOCAL does nothing.
  if (local && state.status === "idle" && !state.isGrouped) return;
  yield* assigned(name, value, local, host);
}

function* assigned(
  name: string,
  value: SqlExpression | undefined,
  local: boolean,
  { isPostgres, state, settings, level: usualLevel, commit, setLevel }: AssignmentHost,
): Generator<Request, void, Reply> {
  const plain = plainSetting(name);
  const text = settingText(value);
  const isOn = !/^(0|off|false|no)$/i.test(text);
  const isOfTransaction = isPostgres && !plain.startsWith("default");
  if (plain === "autocommit") {
    state.autocommit = isOn;
    if (state.autocommit && state.status === "open") yield* commit();
  } else if (LEVEL_SETTING.test(plain)) {
    const level = text.toLowerCase().replaceAll("-", " ");
    if (isOfTransaction) yield* setLevel(level);
    else state.usualLevel = level === "" ? usualLevel : level;
  } else if (READ_ONLY_SETTING.test(plain)) {
    if (isOfTransaction) state.readOnly = value === undefined ? undefined : isOn;
    else state.usualReadOnly = value !== undefined && isOn;
  } else settings.keep(name, value === undefined ? undefined : text, local);
}
