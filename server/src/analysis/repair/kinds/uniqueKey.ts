// For a lookup followed by an insertion if there is no row: a unique key that rejects the second row, and an insertion that then behaves as
// the lookup would.
import {
  childOf,
  namedChildren,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { Expression } from "../../../program/expression";
import { conjunctsOf } from "../../../program/operands";
import type { Table } from "../../../program/schema";
import type { Command, InsertStatement, SelectStatement } from "../../../program/statement";
import type { Candidate, Proposals, TextEdit } from "../candidate";
import { guardsBetween } from "../idioms/guards";
import { sharedFunction, textOf } from "../idioms/columnValue";
import { duplicateCaught, insertOrExit } from "../idioms/codeInsert";
import { nameText } from "../idioms/lockRow";
import { schemaChange } from "../idioms/schemaChange";
import { nodesIn } from "../idioms/syntax";
import type { ReadSite } from "../pairs";
import { isAggregate } from "../../operations/aggregatesIn";
import { equalitiesOf } from "../predicate";
import type { Site, Workshop } from "../workshop";

type Insert = Site & { readonly statement: InsertStatement };

/** One candidate: a key over the lookup's columns, if all stale reads are such lookups. */
export function uniqueKeys(workshop: Workshop): Proposals {
  const refuse = (reason: string): Proposals => ({
    candidates: [],
    refusals: [{ kind: "unique-key", reason }],
  });
  const pairs = workshop.staleReads.map((read) => lookUp(workshop, read));
  const [first] = pairs;
  const isAlike = pairs.every(
    (each) =>
      each && each.table.name === first?.table.name && each.columns.join() === first.columns.join(),
  );
  if (!first || !isAlike) return { candidates: [], refusals: [] };
  const { table, columns } = first;
  const named = (name: string): string => nameText(workshop, name);
  const key = [table.name, ...columns, "key"].join("_").replaceAll(".", "_");
  const statement = `ALTER TABLE ${named(table.name)} ADD CONSTRAINT ${named(key)} UNIQUE (${columns.map(named).join(", ")});`;
  const declared = schemaChange(workshop, table, {
    name: `add_${key}`,
    statement,
    undo:
      workshop.dialect === "postgres"
        ? `ALTER TABLE ${named(table.name)} DROP CONSTRAINT ${named(key)};`
        : `ALTER TABLE ${named(table.name)} DROP KEY ${named(key)};`,
    unique: columns,
  });
  if (declared === undefined)
    return refuse(
      `its table is declared where no edit is written; a migration needs: ${statement}`,
    );
  const paths = pairs.map((each) => each && errorPath(workshop, each.read, each.insert, columns));
  const code = workshop.dialect === "postgres" ? "23505" : "1062";
  const plain: Candidate = {
    kind: "unique-key",
    title: `Let a key keep ${columns.join(" and ")} of ${table.name} apart`,
    edits: declared,
    costs: [
      "rows that are there twice have to go before the key can be made",
      `the insertion may fail with ${code}: the caller has to tell that as it tells the look-up`,
    ],
  };
  const told = paths.every((path) => path !== undefined)
    ? [{ ...plain, edits: [...declared, ...paths.flat()], costs: plain.costs.slice(0, 1) }]
    : [];
  return { candidates: [...told, plain], refusals: [] };
}

interface LookUp {
  readonly read: ReadSite;
  readonly insert: Insert;
  readonly table: Table;
  /** Sorted in the order of the table. */
  readonly columns: readonly string[];
}

/** A lookup by equalities only, used only for whether a row exists, with the insertion of such a row. */
function lookUp(workshop: Workshop, site: Site): LookUp | undefined {
  const { statement, transaction } = site;
  if (statement.kind !== "select") return undefined;
  const { relations, where } = statement.query;
  const [relation, ...others] = relations;
  const equalities = equalitiesOf(statement);
  if (relation?.kind !== "base" || others.length > 0) return undefined;
  if (equalities.length === 0 || conjunctsOf(where).length !== equalities.length) return undefined;
  if (!asksForAbsence(transaction.body, statement)) return undefined;
  const table = workshop.program.schema.tables.find(({ name }) => name === relation.table);
  const insert = workshop
    .sitesOf(transaction)
    .find(
      (each): each is Insert =>
        each.statement.kind === "insert" && inserts(each.statement, equalities),
    );
  if (!table || table.inferred || !insert || insert.statement.table !== table.name)
    return undefined;
  const looked = new Set(equalities.map(({ column }) => column));
  const columns = table.columns.map(({ name }) => name).filter((name) => looked.has(name));
  return { read: { ...site, statement }, insert, table, columns };
}

function inserts({ rows }: InsertStatement, equalities: ReturnType<typeof equalitiesOf>): boolean {
  if (!("length" in rows)) return false;
  const [row, ...others] = rows;
  return (
    others.length === 0 &&
    equalities.every(({ column, value }) =>
      row?.some(
        (each) => each.column === column && JSON.stringify(each.value) === JSON.stringify(value),
      ),
    )
  );
}

/** True if all conditions on a result, or on a variable that holds it, test whether it has a row, and there is at least one. */
function asksForAbsence(
  body: Command,
  { into: result, query }: Pick<SelectStatement, "into" | "query">,
): boolean {
  const isCount = isAggregate(query);
  const assigned = assignmentsIn(body);
  const held = assigned.filter(({ value }) => uses(value, result, []));
  const names = held.map(({ variable }) => variable);
  const isPlain = held.every(
    ({ variable, value }) =>
      (value.kind === "field" || value.kind === "size") &&
      assigned.filter((each) => each.variable === variable).length === 1,
  );
  const isPassedOn = assigned.some(({ value }) => uses(value, "", names));
  const conditions = conditionsIn(body)
    .flatMap(parts)
    .filter((each) => uses(each, result, names));
  return (
    isPlain &&
    !isPassedOn &&
    conditions.length > 0 &&
    conditions.every((each) => isAbsence(each, isCount))
  );
}

function uses(expression: Expression, result: string, variables: readonly string[]): boolean {
  const text = JSON.stringify(expression);
  const isVariable = (name: string): boolean =>
    text.includes(`{"kind":"variable","name":${JSON.stringify(name)}}`);
  return text.includes(`"result":${JSON.stringify(result)}`) || variables.some(isVariable);
}

type Assign = Extract<Command, { readonly kind: "assign" }>;

function assignmentsIn(command: Command): readonly Assign[] {
  if (command.kind === "assign") return [command];
  return insideOf(command).flatMap(assignmentsIn);
}

function conditionsIn(command: Command): readonly Expression[] {
  const own = command.kind === "if" ? [command.condition] : [];
  return [...own, ...insideOf(command).flatMap(conditionsIn)];
}

function insideOf(command: Command): readonly Command[] {
  switch (command.kind) {
    case "sequence":
      return command.commands;
    case "if":
      return command.otherwise ? [command.then, command.otherwise] : [command.then];
    case "loop":
    case "atomic":
      return [command.body];
    case "try":
      return [command.body, command.handler];
    default:
      return [];
  }
}

function parts(condition: Expression): readonly Expression[] {
  if (condition.kind === "and" || condition.kind === "or") return condition.operands.flatMap(parts);
  return condition.kind === "not" ? parts(condition.operand) : [condition];
}

/** `size > 0`, `count = 0`, `id IS NULL`: the only distinction is none or some. */
function isAbsence(condition: Expression, isCount: boolean): boolean {
  if (condition.kind === "isNull") return HELD.has(condition.operand.kind);
  if (condition.kind !== "comparison") return false;
  const { left, operator, right } = condition;
  if (!(isCount ? HELD.has(left.kind) : left.kind === "size") || right.kind !== "literal")
    return false;
  const told = `${operator} ${String(right.value)}`;
  return ["> 0", "= 0", "<> 0", "<= 0", ">= 1", "< 1"].includes(told);
}

const HELD: ReadonlySet<Expression["kind"]> = new Set(["size", "field", "variable"]);

function onConflict(workshop: Workshop, columns: readonly string[]): string {
  const named = columns.map((column) => nameText(workshop, column));
  return ` ON CONFLICT (${named.join(", ")}) DO NOTHING`;
}

/** The insertion that does nothing if the row exists, and then takes the lookup's path: by PostgreSQL's syntax, else in code by the error. */
function errorPath(
  workshop: Workshop,
  read: ReadSite,
  insert: Insert,
  columns: readonly string[],
): readonly TextEdit[] | undefined {
  if (read.file !== insert.file || insert.statement.onConflict) return undefined;
  const isMysql = workshop.dialect !== "postgres";
  const tree = workshop.treeOf(insert.file);
  if (tree) {
    const owner = tree.language === "java" ? undefined : sharedFunction(tree, read, insert);
    const exit = owner && exitBetween(owner, read.end, insert.start);
    if (!exit) return undefined;
    const told = textOf(tree, exit);
    const own = isMysql
      ? undefined
      : insertOrExit(tree, insert, onConflict(workshop, columns), told);
    return own ?? duplicateCaught(tree, insert, told, { isMysql });
  }
  if (isMysql) return undefined;
  const target = onConflict(workshop, columns);
  const text = workshop.textOf(insert.file)?.text;
  if (text === undefined || insert.transaction.boundary !== "routine") return undefined;
  // The lookup may be in the condition itself.
  const head = /\bIF\b[^;]*$/iu.exec(text.slice(Math.max(0, read.start - NEAR), read.start));
  const from = head ? read.start - head[0].length : read.end;
  const exit = guardsBetween(text, from, insert.start).findLast(({ isExit }) => isExit)?.body;
  const end = text.indexOf(";", insert.end) + 1;
  if (
    exit === undefined ||
    end === 0 ||
    /\breturning\b/iu.test(text.slice(insert.start, insert.end))
  )
    return undefined;
  const indent = /[ \t]*$/u.exec(text.slice(0, insert.start))?.[0] ?? "";
  const { file } = insert;
  const check = `\n${indent}IF NOT FOUND THEN\n${indent}  ${exit.trim()}\n${indent}END IF;`;
  return [
    { file, start: insert.end, end: insert.end, newText: target },
    { file, start: end, end, newText: check },
  ];
}

/** The number of characters in which the IF around a query is searched. */
const NEAR = 200;

/** The last statement between two positions that leaves the function conditionally. */
function exitBetween(owner: SyntaxNode, start: number, end: number): SyntaxNode | undefined {
  const leaving = nodesIn(owner).flatMap((node) => {
    if (node.type !== "if_statement" || node.start < start || node.end > end) return [];
    const then = childOf(node, "consequence");
    const [only, ...others] =
      then?.type === "statement_block" ? namedChildren(then) : then ? [then] : [];
    const leaves = only?.type === "throw_statement" || only?.type === "return_statement";
    return only && leaves && others.length === 0 ? [only] : [];
  });
  return leaving.sort((a, b) => a.start - b.start).at(-1);
}
