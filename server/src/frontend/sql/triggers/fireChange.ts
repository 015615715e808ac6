// UPDATE and DELETE with row triggers. Pure triggers become part of the statement; effects run over the rows that it returns. A row
// whose old version is needed is locked and read first, as PostgreSQL does before a BEFORE trigger.
import type { Expression, Output } from "../../../program/expression";
import type {
  Assignment,
  Command,
  DeleteStatement,
  SelectStatement,
  UpdateStatement,
} from "../../../program/statement";
import { literal } from "../expressions";
import { emptyQuery, connective } from "../terms";
import { fold, type Failure } from "../routine/symbolic";
import { hasQuery } from "../routine/hoist";
import {
  assignRow,
  atRow,
  columnsIn,
  forRows,
  foundIn,
  isKeyed,
  maySkip,
  outputOf,
  returningAlso,
  type Firing,
  type Outcome,
} from "./triggerRows";
import type { TriggerBody } from "./trigger";

type Change = UpdateStatement | DeleteStatement;

/** The statement with its triggers. */
export function fireChange(statement: Change, fired: Firing): Outcome {
  const { table, before, after } = fired;
  const { alias } = statement.relation;
  const simple = foldAll(statement, fired);
  if (simple !== undefined) {
    const changed = new Set(
      statement.kind === "update" ? simple.set.map(({ column }) => column) : [],
    );
    const isOld = (column: string): boolean => !changed.has(column);
    const failing = simple.failures.flatMap(({ condition }) => [...columnsIn(condition, alias)]);
    const reads = after.flatMap(({ reads: { old } }) => [...old]);
    const asks = simple.failures.some(({ condition }) => hasQuery(condition));
    if ([...failing, ...reads].every(isOld) && !asks) return inPlace(statement, simple, fired);
  }
  const others = statement.kind === "update" ? statement.from : statement.using;
  if (isKeyed(statement.where, alias, table) && others.length === 0)
    return rowFirst(statement, fired);
  const name = [...before, ...after][0]?.trigger.name ?? "";
  return {
    reason: `the trigger ${name} needs the rows as they were, of a statement that does not choose one by its key`,
  };
}

interface Simple {
  readonly set: readonly Assignment[];
  /** A condition over the old row. */
  readonly skips: Expression;
  readonly failures: readonly Failure[];
  readonly made: readonly Command[];
}

/** The result of the BEFORE triggers, if they only compute. */
function foldAll(statement: Change, { table, before }: Firing): Simple | undefined {
  const { alias } = statement.relation;
  const old = (column: string): Expression => ({ kind: "column", relation: alias, column });
  const given = statement.kind === "update" ? statement.set : [];
  const own = new Map(given.map(({ column, value }) => [column, value] as const));
  const values = new Map(own);
  const failures: Failure[] = [];
  const made: Command[] = [];
  const skips: Expression[] = [];
  for (const body of before) {
    const start = new Map<string, Expression>();
    for (const [column, variable] of body.old) start.set(variable, old(column));
    for (const [column, variable] of body.new)
      start.set(
        variable,
        statement.kind === "update" ? (values.get(column) ?? old(column)) : literal(null),
      );
    const folded = fold({ kind: "sequence", commands: body.commands }, start);
    if (folded === undefined) return undefined;
    const runs: Expression[] = skips.map((operand) => ({ kind: "not", operand }));
    for (const { condition, rollback } of folded.failures)
      failures.push({ condition: connective("and", [...runs, condition]), rollback });
    made.push(...folded.before);
    const skip = folded.values.get(body.skips) ?? literal(false);
    if (!(skip.kind === "literal" && skip.value === false)) skips.push(skip);
    for (const column of body.assigns) {
      const value = folded.values.get(body.new.get(column) ?? "");
      if (value !== undefined) values.set(column, value);
    }
  }
  const isFresh = [...values.values()].some(
    (value) => value.kind === "fresh" && value.why !== "now",
  );
  if (isFresh && [...values].some(([column, value]) => own.get(column) !== value)) {
    const ids = [...values.values()].flatMap((value) => (value.kind === "fresh" ? [value.id] : []));
    if (new Set(ids).size < ids.length) return undefined;
  }
  const order = [...own.keys(), ...table.columns.map(({ name }) => name)];
  const set = [...new Set(order)].flatMap((column): readonly Assignment[] => {
    const value = values.get(column);
    if (value === undefined) return [];
    const stays = value.kind === "column" && value.relation === alias && value.column === column;
    return stays && !own.has(column) ? [] : [{ column, value }];
  });
  return { set, skips: connective("or", skips), failures, made };
}

/** The triggers as a part of the statement, followed by their effects for each returned row. */
function inPlace(statement: Change, simple: Simple, { table, ids, after }: Firing): Outcome {
  const { alias } = statement.relation;
  const never = simple.skips.kind === "literal" && simple.skips.value === false;
  const runs: Expression = { kind: "not", operand: isTrue(simple.skips) };
  const where = never ? statement.where : connective("and", [statement.where, runs]);
  const changed: Change =
    statement.kind === "update"
      ? { ...statement, set: simple.set, where }
      : { ...statement, where };
  const isUpdate = statement.kind === "update";
  const read = new Set(
    after.flatMap(({ reads }) => [...reads.old, ...(isUpdate ? reads.new : [])]),
  );
  const outputs = [...read].map((column): Output => {
    return { name: outputOf(column), value: { kind: "column", relation: alias, column } };
  });
  const failed = simple.failures.map(({ condition }, at): Output => {
    return { name: `fails ${String(at + 1)}`, value: condition };
  });
  const runsBehind = after.length > 0 || failed.length > 0;
  if (!runsBehind) return [...simple.made, { kind: "statement", statement: changed }];
  const { statement: all, into } = returningAlso(changed, [...outputs, ...failed], ids);
  const many = isKeyed(statement.where, alias, table) ? "at most one" : "many";
  const behind = forRows(into, many, statement, ids, (at) => {
    const field = (name: string): Expression => ({ kind: "field", result: into, field: name, at });
    const value = (column: string): Expression | undefined =>
      read.has(column) ? field(outputOf(column)) : undefined;
    return [
      ...simple.failures.map(({ rollback }, n): Command => {
        const { source } = statement;
        return { kind: "if", condition: field(failed[n]?.name ?? ""), then: rollback, source };
      }),
      ...after.flatMap((body) => [
        ...(isUpdate ? assignRow(body.new, value, statement) : []),
        ...assignRow(body.old, value, statement),
        ...body.commands,
      ]),
    ];
  });
  return [...simple.made, { kind: "statement", statement: all }, ...behind];
}

/** NULL counts as false. */
function isTrue(condition: Expression): Expression {
  return { kind: "coalesce", operands: [condition, literal(false)] };
}

/** The row is locked and read, then changed: the triggers' inputs are known before. */
function rowFirst(statement: Change, { table, ids, before, after }: Firing): Outcome {
  const { alias } = statement.relation;
  const columns = table.columns.map(({ name }) => name);
  const into = ids.result();
  const old = (column: string): Expression => {
    return { kind: "field", result: into, field: column, at: "first" };
  };
  const set = statement.kind === "update" ? statement.set : [];
  const bodies = [...before, ...after];
  const read = new Set(bodies.flatMap(({ reads, assigns }) => [...reads.new, ...assigns]));
  const given = new Map<string, Expression>();
  for (const { column, value } of set) {
    const known = atRow(value, alias, old);
    if (known !== undefined) given.set(column, known);
    else if (read.has(column))
      return { reason: `a trigger uses ${column}, whose new value asks the database` };
  }
  const first = before[0];
  const newVariables = first?.new ?? after[0]?.new ?? new Map<string, string>();
  const { source } = statement;
  const start =
    statement.kind === "delete"
      ? []
      : assignRow(
          newVariables,
          (column) => (read.has(column) ? (given.get(column) ?? old(column)) : undefined),
          statement,
        );
  const assigned = new Set(before.flatMap(({ assigns }) => [...assigns]));
  const olds = (body: TriggerBody): readonly Command[] => assignRow(body.old, old, statement);
  let last = newVariables;
  const handOver = (body: TriggerBody): readonly Command[] => {
    if (statement.kind === "delete" || body.new === last) return [];
    const from = last;
    const commands = assignRow(
      body.new,
      (column) => {
        const name = from.get(column);
        return name !== undefined && read.has(column) ? { kind: "variable", name } : undefined;
      },
      statement,
    );
    return commands;
  };
  const run = (at: number): readonly Command[] => {
    const body = before[at];
    if (body !== undefined) {
      const own = [...olds(body), ...handOver(body), ...body.commands];
      last = body.new;
      const rest = run(at + 1);
      if (!maySkip(body)) return [...own, ...rest];
      const condition: Expression = { kind: "variable", name: body.skips };
      const nothing: Command = { kind: "sequence", commands: [] };
      const otherwise: Command = { kind: "sequence", commands: rest };
      return [...own, { kind: "if", condition, then: nothing, otherwise, source }];
    }
    const final = last;
    const taken = (column: string, value: Expression): Assignment => {
      const name = final.get(column);
      return {
        column,
        value: name !== undefined && read.has(column) ? { kind: "variable", name } : value,
      };
    };
    const own = new Set(set.map(({ column }) => column));
    const changed: Change =
      statement.kind === "delete"
        ? statement
        : {
            ...statement,
            set: [
              ...set.map(({ column, value }) => taken(column, value)),
              ...[...assigned]
                .filter((each) => !own.has(each))
                .map((each) => taken(each, literal(null))),
            ],
          };
    return [
      { kind: "statement", statement: changed },
      ...after.flatMap((each) => [...olds(each), ...handOver(each), ...each.commands]),
    ];
  };
  const keys = [table.primaryKey, ...table.uniqueKeys.map((key) => key.columns)].flat();
  const changesKey = [...set.map(({ column }) => column), ...assigned].some((each) =>
    keys.includes(each),
  );
  const strength = statement.kind === "delete" || changesKey ? "update" : "no-key-update";
  const locked: SelectStatement = {
    id: ids.statement(),
    source,
    text: statement.text,
    taint: [],
    kind: "select",
    query: {
      ...emptyQuery(
        columns.map((column) => ({
          name: column,
          value: { kind: "column", relation: alias, column },
        })),
      ),
      relations: [statement.relation],
      where: statement.where,
      lock: { strength, of: [], wait: "block" },
    },
    into,
    discarded: true,
  };
  return [
    { kind: "statement", statement: locked },
    { kind: "if", ...foundIn(into, [...start, ...run(0)]), source },
  ];
}
