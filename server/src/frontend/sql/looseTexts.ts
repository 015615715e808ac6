// Differently written texts that the server equates (case, accents, trailing spaces), while something else in the same transaction
// distinguishes them: `===` in code, a hash, an advisory lock key, a column of another collation. The search has one kind of equality, so
// such a transaction is weakened. Texts compared in one way only need nothing: equal ones are interchangeable.
import type { Dialect } from "../../program/dialect";
import type { Expression, Output } from "../../program/expression";
import { TEXT_AS_BYTES } from "../../program/functions";
import { operandsOf } from "../../program/operands";
import type { Taint } from "../../program/precision";
import type { Transaction } from "../../program/program";
import type { Column, Table } from "../../program/schema";
import type { Command, Statement } from "../../program/statement";
import { inStatements } from "./dialectDetection/replaceStatements";
import { walkCommand, walkStatement, type Scope } from "./walk";

/**
 * The transactions, weakened if they compare a text in both ways. With `isCode`, comparisons outside of statements are the application's,
 * not the server's. Linear in their text.
 */
export function withLooseTexts(
  transactions: readonly Transaction[],
  tables: readonly Table[],
  dialect: Dialect,
  isCode: (transaction: Transaction) => boolean,
): readonly Transaction[] {
  if (!tables.some(({ columns }) => columns.some((each) => isLoose(each, dialect))))
    return transactions;
  const byName = new Map(tables.map((each) => [each.name, each] as const));
  return transactions.map((each) => {
    const isApart = isCode(each) || !isOfMysql(dialect);
    const reason = comparedBothWays(each.body, { tables: byName, dialect, isApart });
    if (reason === undefined) return each;
    const loss: Taint = { effect: "over", reason, source: each.header };
    return { ...each, taint: [...each.taint, loss] };
  });
}

/** True if the column's text comparison is not bytewise. */
function isLoose(
  { type, isBytewise, isLoose: declared, takes }: Column,
  dialect: Dialect,
): boolean {
  if (type !== "text" || takes?.kind === "uuid" || takes?.kind === "labels") return false;
  return isOfMysql(dialect) ? isBytewise !== true : declared === true;
}

/** Union-find of values connected by data flow, with their comparisons. */
interface Groups {
  /** The representative of the group. */
  of(name: string): string;
  link(one: string, other: string): void;
}

function comparedBothWays(
  body: Command,
  {
    tables,
    dialect,
    isApart,
  }: {
    readonly tables: ReadonlyMap<string, Table>;
    readonly dialect: Dialect;
    /** Texts outside of statements are compared for identity. */
    readonly isApart: boolean;
  },
): string | undefined {
  const groups = groupsOfNames();
  const loose = new Map<string, string>();
  const strict = new Set<string>();
  const columnAt = (expression: Expression, scope: Scope): Column | undefined => {
    if (expression.kind !== "column") return undefined;
    const relation = scope.find(({ alias }) => alias === expression.relation);
    const table = relation?.kind === "base" ? tables.get(relation.table) : undefined;
    return table?.columns.find(({ name }) => name === expression.column);
  };
  const isLooseAt = (side: Expression, scope: Scope): boolean => {
    const column = columnAt(side, scope);
    return column !== undefined && isLoose(column, dialect);
  };
  const linkOutputs = (result: string, outputs: readonly Output[]): void => {
    for (const { name, value } of outputs)
      for (const each of namesOf(value)) groups.link(`field ${result}.${name}`, each);
  };
  const compared = (sides: readonly Expression[], scope: Scope): void => {
    const own = sides.find((side) => isLooseAt(side, scope));
    const others = sides.filter((side) => side.kind !== "literal" && side !== own);
    if (others.length === 0) return;
    const names = [own ?? [], ...others].flat().flatMap(namesOf);
    if (own !== undefined) for (const each of names) loose.set(each, columnNamed(own));
    else if (sides.some((side) => columnAt(side, scope)?.type === "text"))
      for (const each of names) strict.add(each);
  };
  const statement = (each: Statement): void => {
    if (each.kind === "select") linkOutputs(each.into, each.query.outputs);
    else if ("returning" in each && each.returning)
      linkOutputs(each.returning.into, each.returning.outputs);
    if (each.kind === "lock" && each.key && !isOfMysql(dialect))
      for (const name of deepNamesOf(each.key)) strict.add(name);
    walkStatement(each, {
      assignment: (table, column, value) => {
        const own = tables.get(table);
        const isKey = [own?.primaryKey ?? [], ...(own?.uniqueKeys ?? []).map((key) => key.columns)]
          .flat()
          .includes(column);
        const declared = own?.columns.find(({ name }) => name === column);
        if (isKey && declared && isLoose(declared, dialect))
          for (const name of namesOf(value)) loose.set(name, `${table}.${column}`);
      },
      expression: (expression, scope) => {
        if (isTested(expression)) compared(sidesOf(expression), scope);
        else if (expression.kind === "call" && tellsApart(expression.name, dialect))
          for (const name of expression.arguments.flatMap(deepNamesOf)) strict.add(name);
      },
    });
  };
  walkCommand(body, {
    statement,
    command: (command) => {
      if (command.kind === "assign")
        for (const each of namesOf(command.value))
          groups.link(`variable ${command.variable}`, each);
    },
  });
  const outside = isApart ? inStatements(body, () => []) : undefined;
  if (outside)
    walkCommand(outside, {
      expression: (expression) => {
        if (!isTested(expression)) return;
        const [first, ...others] = sidesOf(expression).filter(({ kind }) => kind !== "literal");
        if (first !== undefined && others.length > 0)
          for (const name of [first, ...others].flatMap(deepNamesOf)) strict.add(name);
      },
    });
  const apart = new Set([...strict].map((each) => groups.of(each)));
  const [both] = [...loose].filter(([name]) => apart.has(groups.of(name)));
  return both === undefined
    ? undefined
    : `texts of ${both[1]} that the server takes for equal (case, accents, spaces) and something else here tells apart`;
}

function isOfMysql(dialect: Dialect): boolean {
  return dialect === "mysql" || dialect === "mariadb";
}

type Test = Extract<Expression, { readonly kind: "comparison" | "sameValue" | "in" }>;

function isTested(expression: Expression): expression is Test {
  return ["comparison", "sameValue", "in"].includes(expression.kind);
}

function sidesOf(expression: Test): readonly Expression[] {
  return expression.kind === "in"
    ? [expression.operand, ...expression.values]
    : [expression.left, expression.right];
}

/** Functions that distinguish texts that the server equates. */
function tellsApart(name: string, dialect: Dialect): boolean {
  return isOfMysql(dialect)
    ? name === TEXT_AS_BYTES || /^(?:md5|sha1?|sha2|crc32|hex)$/.test(name)
    : !name.startsWith("cast ");
}

function columnNamed(expression: Expression): string {
  return expression.kind === "column" ? `${expression.relation}.${expression.column}` : "a column";
}

/** Names of the expression's possible values. */
function namesOf(expression: Expression): readonly string[] {
  switch (expression.kind) {
    case "parameter":
    case "variable":
      return [`${expression.kind} ${expression.name}`];
    case "field":
      return [`field ${expression.result}.${expression.field}`];
    case "column":
      return [`column ${expression.relation}.${expression.column}`];
    case "coalesce":
      return expression.operands.flatMap(namesOf);
    case "conditional":
      return [expression.then, expression.otherwise].flatMap(namesOf);
    case "element":
      return namesOf(expression.array);
    case "array":
      return [`array ${expression.parameter}`];
    case "call":
      return expression.name.startsWith("cast ") ? expression.arguments.flatMap(namesOf) : [];
    default:
      return [];
  }
}

/** Names of all values in it. */
function deepNamesOf(expression: Expression): readonly string[] {
  return [...namesOf(expression), ...operandsOf(expression).flatMap(deepNamesOf)];
}

function groupsOfNames(): Groups {
  const parents = new Map<string, string>();
  const of = (name: string): string => {
    let at = name;
    for (let next = parents.get(at); next !== undefined; next = parents.get(at)) at = next;
    return at;
  };
  return {
    of,
    link: (one, other) => {
      const [from, to] = [of(one), of(other)];
      if (from !== to) parents.set(from, to);
    },
  };
}
