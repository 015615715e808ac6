// Constants in the code of migrations: what stands there as it is, or behind a name that is bound once. No evaluation.
import type { HirExpression, HirStatement } from "../hir";

/** The values of names at the top of a module. */
export type Names = ReadonlyMap<string, HirExpression>;

/** The names that statements bind for good. */
export function constantNames(statements: readonly HirStatement[]): Names {
  return new Map(
    statements.flatMap((each) =>
      each.kind === "let" && each.pattern.kind === "bind" && each.value && !each.isMutable
        ? [[each.pattern.name, each.value] as const]
        : [],
    ),
  );
}

/** The expression behind casts, names and calls of its own (`new Table({...})` is left). */
export function behind(
  expression: HirExpression | undefined,
  names: Names,
  depth = 0,
): HirExpression | undefined {
  if (expression === undefined || depth > 8) return expression;
  if (expression.kind === "typed" || expression.kind === "await") {
    return behind(expression.operand, names, depth + 1);
  }
  const bound = expression.kind === "name" ? names.get(expression.name) : undefined;
  return bound ? behind(bound, names, depth + 1) : expression;
}

/** A text, where it is constant. */
export function textOf(given: HirExpression | undefined, names: Names): string | undefined {
  const expression = behind(given, names);
  switch (expression?.kind) {
    case "text":
      return expression.runs.map(({ text }) => text).join("");
    case "template": {
      const parts = expression.values.map((value) => textOf(value, names));
      if (parts.some((part) => part === undefined)) return undefined;
      return expression.texts
        .map((runs, at) => runs.map(({ text }) => text).join("") + (parts[at] ?? ""))
        .join("");
    }
    case "binary": {
      if (expression.operator !== "+") return undefined;
      const [left, right] = [textOf(expression.left, names), textOf(expression.right, names)];
      return left === undefined || right === undefined ? undefined : left + right;
    }
    default:
      return undefined;
  }
}

/** The entries of an object by their names; computed and spread ones are left out. */
export function fieldsOf(
  given: HirExpression | undefined,
  names: Names,
): ReadonlyMap<string, HirExpression> {
  const expression = behind(given, names);
  if (expression?.kind === "new") return fieldsOf(expression.arguments[0]?.value, names);
  if (expression?.kind !== "object") return new Map();
  return new Map(
    expression.entries.flatMap((entry) =>
      entry.kind === "property" && typeof entry.key === "string"
        ? [[entry.key, entry.value] as const]
        : [],
    ),
  );
}

/** The items of a list, or the one thing that stands in place of a list. */
export function itemsOf(given: HirExpression | undefined, names: Names): readonly HirExpression[] {
  const expression = behind(given, names);
  if (expression === undefined) return [];
  return expression.kind === "array" ? expression.items.map(({ value }) => value) : [expression];
}

/** The texts of a list, or the one text. */
export function textsOf(given: HirExpression | undefined, names: Names): readonly string[] {
  return itemsOf(given, names).flatMap((item) => textOf(item, names) ?? []);
}

export function isTrue(given: HirExpression | undefined, names: Names): boolean {
  const expression = behind(given, names);
  return expression?.kind === "literal" && expression.value === true;
}

export function isFalse(given: HirExpression | undefined, names: Names): boolean {
  const expression = behind(given, names);
  return expression?.kind === "literal" && expression.value === false;
}

/** The default of a column in SQL; of what is not known a function that nobody knows. Undefined where none is written. */
export function defaultSql(given: HirExpression | undefined, names: Names): string | undefined {
  const expression = behind(given, names);
  if (expression === undefined) return undefined;
  if (expression.kind === "template" && expression.tag) return plainSql(expression, names);
  const constant = constantSql(expression, names);
  if (constant !== undefined) return constant;
  // Values that Sequelize makes itself: no default in the database.
  const isClients =
    expression.kind === "member" && /^(?:NOW|UUIDV?[14])$/u.test(expression.property);
  if (isClients) return undefined;
  if (expression.kind !== "call" || expression.callee.kind !== "member") return UNKNOWN_DEFAULT;
  const { property, object } = expression.callee;
  const [first] = expression.arguments.map(({ value }) => value);
  if (property === "raw" || property === "literal") return plainSql(first, names);
  if (property === "now") return "CURRENT_TIMESTAMP";
  if (property === "uuid") return "gen_random_uuid()";
  const isFunction =
    property === "fn" && expression.arguments.length === 1 && object.kind === "name";
  const name = isFunction ? textOf(first, names) : undefined;
  return name === undefined ? UNKNOWN_DEFAULT : `${name}()`;
}

/** A text that is SQL itself. */
export function plainSql(given: HirExpression | undefined, names: Names): string {
  return textOf(given, names)?.replaceAll(/\s+/gu, " ").trim() ?? UNKNOWN_DEFAULT;
}

const UNKNOWN_DEFAULT = "default_of_a_migration()";

/** A constant as SQL text; undefined for everything else. */
function constantSql(given: HirExpression | undefined, names: Names): string | undefined {
  const expression = behind(given, names);
  if (expression?.kind === "literal") {
    const { value } = expression;
    if (value === null || value === undefined) return "NULL";
    return typeof value === "boolean" ? String(value).toUpperCase() : String(value);
  }
  const text = textOf(expression, names);
  return text === undefined ? undefined : `'${text.replaceAll("'", "''").replaceAll("\n", " ")}'`;
}
