// Migrations that are written in code (knex, Kysely, Sequelize, TypeORM), as SQL text at the lines where the code has
// them: what reads SQL then reads these, and places need no map.
import type { Dialect } from "../../../program/dialect";
import type { SourceFile } from "../../sql/text/sources";
import type { Span } from "../../sql/text/split";
import type {
  HirClass,
  HirExpression,
  HirFunction,
  HirModule,
  HirParameter,
  HirStatement,
} from "../hir";
import { chainOf, type Link } from "./chains";
import { behind, constantNames, textOf, type Names } from "./constants";
import { definitionText, type Constraint, type Definition } from "./definitions";
import { functionOf, knexTable } from "./knexTable";
import { kyselyIndex, kyselyTable } from "./kyselyTable";
import {
  sequelizeColumn,
  sequelizeConstraint,
  sequelizeIndex,
  sequelizeTable,
  typeormColumn,
  typeormConstraint,
  typeormTable,
} from "./objectTables";

/**
 * The definitions of the module's `up`, as SQL on the lines of their calls; undefined where there is none. What is not
 * understood is left out. Linear in the text.
 */
export function migrationText(
  module: HirModule,
  text: string,
  dialect: Dialect,
): string | undefined {
  const up = upOf(module);
  if (up === undefined) return undefined;
  const found = placedIn(up.body, constantNames(module.body), functionsIn(module));
  if (found.length === 0) return undefined;
  return atTheirLines(found, text, dialect);
}

/**
 * True if a module has an `up` that stands where migrations do, or that is given what they are beside a `down`. Linear in
 * its text.
 */
export function migrates(module: HirModule, { file, text }: SourceFile): boolean {
  const up = upOf(module);
  if (!up) return false;
  const [{ pattern, type } = NO_PARAMETER] = up.parameters;
  const name = pattern?.kind === "bind" ? pattern.name : "";
  if (IN_MIGRATIONS.test(file)) return true;
  return /\bdown\b/u.test(text) && (OF_MIGRATIONS.test(name) || MIGRATING.test(type ?? ""));
}

const NO_PARAMETER: Partial<HirParameter> = {};
const IN_MIGRATIONS = /(?:^|\/)[\w-]*migrations?\//iu;
const OF_MIGRATIONS = /^(?:queryInterface|queryRunner|knex)$/u;
const MIGRATING = /\b(?:QueryInterface|QueryRunner|Knex|Kysely)\b/u;

interface Placed {
  readonly definition: Definition;
  readonly span: Span;
}

/** The functions at the top of a module, by name. */
function functionsIn({ body }: HirModule): ReadonlyMap<string, HirFunction> {
  const found = new Map<string, HirFunction>();
  for (const each of body) {
    if (each.kind === "function" && each.function.name !== undefined)
      found.set(each.function.name, each.function);
    if (each.kind === "let" && each.pattern.kind === "bind" && each.value?.kind === "function")
      found.set(each.pattern.name, each.value.function);
  }
  return found;
}

/** Helpers call helpers; this deep. */
const DEEPEST_HELPER = 4;

/** The definitions of statements; those of a helper stand where it is called, with what it is given. */
function placedIn(
  statements: readonly HirStatement[],
  around: Names,
  helpers: ReadonlyMap<string, HirFunction>,
  depth = 0,
): readonly Placed[] {
  const names = new Map([...around, ...constantNames(statements)]);
  const found: Placed[] = [];
  visit(statements, (expression) => {
    found.push(...definitionsOf(expression, names));
    if (expression.kind !== "call" || expression.callee.kind !== "name") return;
    const helper = helpers.get(expression.callee.name);
    if (!helper || depth === DEEPEST_HELPER) return;
    const given = expression.arguments.map(({ value }) => behind(value, names));
    const own = helper.parameters.flatMap(({ pattern }, at) => {
      const value = given[at];
      return pattern.kind === "bind" && value ? [[pattern.name, value] as const] : [];
    });
    const inner = placedIn(helper.body, new Map([...around, ...own]), helpers, depth + 1);
    found.push(...inner.map((each) => ({ ...each, span: expression.span })));
  });
  return found;
}

/** Text where each definition begins on the line of its call. */
function atTheirLines(found: readonly Placed[], text: string, dialect: Dialect): string {
  const lines = text.split("\n").map(() => "");
  let line = 0;
  let offset = 0;
  for (const { definition, span } of found.toSorted((a, b) => a.span.start - b.span.start)) {
    for (; offset < span.start; offset += 1) if (text[offset] === "\n") line += 1;
    lines[line] = `${lines[line] ?? ""}${definitionText(definition, dialect)}; `;
  }
  return lines.join("\n");
}

/** The function that migrates: exported, a method, or a field of what is exported. */
function upOf({ body }: HirModule): HirFunction | undefined {
  for (const statement of body) {
    const found = upIn(statement);
    if (found) return found;
  }
  return undefined;
}

function upIn(statement: HirStatement): HirFunction | undefined {
  switch (statement.kind) {
    case "function":
      return statement.function.name === "up" ? statement.function : undefined;
    case "class":
      return upOfClass(statement.class);
    case "let": {
      const { pattern, value } = statement;
      if (pattern.kind !== "bind" || !value) return undefined;
      // `exports.up = ...` and `module.exports = { up }` bind that name.
      return upOfValue(value, pattern.name === "up" || pattern.name === "exports.up");
    }
    case "expression":
      return upOfValue(statement.expression, false);
    default:
      return undefined;
  }
}

function upOfValue(value: HirExpression, isUp: boolean): HirFunction | undefined {
  if (value.kind === "typed") return upOfValue(value.operand, isUp);
  if (value.kind === "function") return isUp ? value.function : undefined;
  if (value.kind === "class") return upOfClass(value.class);
  if (value.kind !== "object") return undefined;
  const up = value.entries.find((entry) => entry.kind === "property" && entry.key === "up");
  return up && functionOf(up.value, new Map());
}

function upOfClass({ methods }: HirClass): HirFunction | undefined {
  return methods.find(({ name }) => name === "up")?.function;
}

/** The expressions of statements that run in order; of branches all. */
function visit(statements: readonly HirStatement[], see: (each: HirExpression) => void): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "expression":
        inside(statement.expression, see);
        break;
      case "return":
      case "let":
        if (statement.value) inside(statement.value, see);
        break;
      case "if":
        visit([...statement.then, ...statement.otherwise], see);
        break;
      case "block":
      case "forEach":
      case "for":
      case "while":
        visit(statement.body, see);
        break;
      case "try":
        visit([...statement.body, ...statement.last], see);
        break;
      default:
        break;
    }
  }
}

/** Lists of promises and callbacks of transactions are gone into. */
function inside(expression: HirExpression, see: (each: HirExpression) => void): void {
  switch (expression.kind) {
    case "await":
    case "typed":
      inside(expression.operand, see);
      break;
    case "array":
      for (const { value } of expression.items) inside(value, see);
      break;
    case "call": {
      see(expression);
      const { callee } = expression;
      const method = callee.kind === "member" ? callee.property : "";
      if (!/^(?:transaction|execute|then|all|allSettled|runSql)$/u.test(method)) break;
      for (const { value } of expression.arguments) {
        if (value.kind === "function") visit(value.function.body, see);
        else if (value.kind === "array") inside(value, see);
      }
      break;
    }
    default:
      break;
  }
}

function definitionsOf(expression: HirExpression, names: Names): readonly Placed[] {
  const { start, links } = chainOf(expression);
  const sql = start.kind === "template" && start.tag ? textOf(start, names) : undefined;
  if (sql !== undefined && isDefinition(sql)) {
    return [{ definition: { kind: "sql", text: sql }, span: start.span }];
  }
  return links.flatMap((link, at) =>
    definitionsOfCall(link, links.slice(at + 1), names).map((definition) => ({
      definition,
      span: link.span,
    })),
  );
}

function definitionsOfCall(
  { method, arguments: given }: Link,
  rest: readonly Link[],
  names: Names,
): readonly Definition[] {
  const [first, second, third] = given.map(({ value }) => value);
  const table = textOf(first, names);
  const only = (definition: Definition | undefined): readonly Definition[] =>
    definition ? [definition] : [];
  switch (method) {
    case "createTable":
    case "createTableIfNotExists":
    case "alterTable":
    case "table": {
      const isNew = method.startsWith("create");
      const callback = functionOf(second, names);
      if (table === undefined) return isNew && first ? only(typeormTable(first, names)) : [];
      if (callback) return knexTable(table, callback, isNew, names);
      if (second) return isNew ? only(sequelizeTable(table, second, third, names)) : [];
      return kyselyTable(table, rest, isNew, names);
    }
    case "createIndex":
      return table !== undefined && second
        ? only(constrained(table, typeormConstraint("indices", second, names)))
        : kyselyIndex(rest, names);
    case "createUniqueConstraint":
    case "createForeignKey": {
      const key = method === "createForeignKey" ? "foreignKeys" : "uniques";
      return table !== undefined && second
        ? only(constrained(table, typeormConstraint(key, second, names)))
        : [];
    }
    case "addColumn": {
      const column = textOf(second, names);
      if (table === undefined || second === undefined) return [];
      if (column !== undefined && third) {
        return only({ kind: "addColumn", table, column: sequelizeColumn(column, third, names) });
      }
      const own = typeormColumn(second, names);
      return own ? [{ kind: "addColumn", table, column: own }] : [];
    }
    case "removeColumn":
    case "dropColumn": {
      const column = textOf(second, names);
      return table === undefined || column === undefined
        ? []
        : [{ kind: "dropColumn", table, column }];
    }
    case "renameColumn": {
      const [from, to] = [textOf(second, names), textOf(third, names)];
      return table === undefined || from === undefined || to === undefined
        ? []
        : [{ kind: "renameColumn", table, from, to }];
    }
    case "addConstraint":
      return table === undefined
        ? []
        : only(constrained(table, sequelizeConstraint([second, third], names)));
    case "addIndex":
      return table === undefined
        ? []
        : only(constrained(table, sequelizeIndex([second, third], names)));
    case "dropTable":
    case "dropTableIfExists":
      return table === undefined ? [] : [{ kind: "drop", table }];
    case "renameTable": {
      const to = textOf(second, names);
      return table === undefined || to === undefined ? [] : [{ kind: "rename", table, to }];
    }
    case "raw":
    case "query":
    case "runSql":
      return table !== undefined && isDefinition(table) ? [{ kind: "sql", text: table }] : [];
    default:
      return [];
  }
}

function constrained(table: string, constraint: Constraint | undefined): Definition | undefined {
  return constraint && { kind: "constrain", table, constraint };
}

function isDefinition(sql: string): boolean {
  return /^(?:\s|\/\*(?:[^*]|\*(?!\/))*\*\/|--[^\n]*\n)*(?:create|alter|drop)\s/iu.test(sql);
}
