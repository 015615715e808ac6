// Relations that Drizzle's `relations(users, ({ one, many }) => ({ ... }))` declares, wherever it stands.
import { kindGuard } from "../kindGuard";
import type { DeclaringCall } from "../../workspace/declarationCalls";
import { constantText, type HandleValue, type Value } from "../../values";
import type { Call, Declaration, Tools } from "../library";
import { traverse } from "../../traverse";
import { isColumn, isTable, type DrizzleTable } from "./drizzleTables";

/** The relation that `one(...)` or `many(...)` declared. */
interface Declared {
  readonly kind: "relation";
  readonly isMany: boolean;
  readonly target: DrizzleTable;
  /** `relationName`. */
  readonly name?: string;
  /** Columns of its table, and those of the other one that they are equal to. */
  readonly own?: readonly string[];
  readonly theirs?: readonly string[];
}

/** Rows of another table that belong to a row. */
export interface DrizzleRelation {
  readonly isMany: boolean;
  readonly target: DrizzleTable;
  readonly own: readonly string[];
  readonly theirs: readonly string[];
}

type Relations = ReadonlyMap<string, ReadonlyMap<string, Declared>>;

const RELATIONS: Declaration<Relations> = {
  names: new Set(["relations()"]),
  none: new Map(),
  read: readRelations,
};

const isDeclared = kindGuard<Declared>("relation");

/** The results of `one` and `many`. */
export function relationDeclaration(
  { path }: HandleValue,
  call: Call,
  tools: Tools,
): Value | undefined {
  if (path !== "relation.one" && path !== "relation.many") return undefined;
  const [of, config] = call.arguments;
  if (of?.kind !== "handle" || !isTable(of.data)) return undefined;
  const fields = config && tools.fields(config);
  const name = constantText(fields?.get("relationName"));
  const own = columnNames(fields?.get("fields"), tools);
  const theirs = columnNames(fields?.get("references"), tools);
  const declared: Declared = {
    kind: "relation",
    isMany: path === "relation.many",
    target: of.data,
    ...(name !== undefined && { name }),
    ...(own && theirs && { own, theirs }),
  };
  return tools.handle("relation", declared);
}

function columnNames(value: Value | undefined, tools: Tools): readonly string[] | undefined {
  const items = value && tools.items(value);
  return (
    items &&
    traverse(items, (each) =>
      each.kind === "handle" && isColumn(each.data) ? each.data.name : undefined,
    )
  );
}

/** The relation of a table that goes by that name; undefined where none is known. */
export function relationOf(
  table: DrizzleTable,
  property: string,
  tools: Tools,
): DrizzleRelation | undefined {
  const all = tools.declared(RELATIONS);
  const found = all.get(table.name)?.get(property);
  if (!found) return undefined;
  const { isMany, target, own, theirs } = found;
  if (own && theirs) return { isMany, target, own, theirs };
  const back = [...(all.get(target.name)?.values() ?? [])].filter(
    (each) =>
    found.name === undefined ? each.target.name === table.name : each !== found && each.name === found.name, // prettier-ignore
  );
  const [reverse, ...others] = back;
  if (!reverse?.own || !reverse.theirs || others.length > 0) return undefined;
  return { isMany, target, own: reverse.theirs, theirs: reverse.own };
}

function readRelations(calls: readonly DeclaringCall[], tools: Tools): Relations {
  const all = new Map<string, Map<string, Declared>>();
  const helpers = tools.object({
    one: tools.handle("relation.one"),
    many: tools.handle("relation.many"),
  });
  for (const { file, arguments: given } of calls) {
    const top = tools.top(file);
    const [table, by] = top ? given.map((each) => tools.evaluate(each, top)) : [];
    if (table?.kind !== "handle" || !isTable(table.data) || by?.kind !== "function") continue;
    const start = { line: 0, character: 0 };
    const made = tools.call(by, [helpers], { file, range: { start, end: start } });
    const own = all.get(table.data.name) ?? new Map<string, Declared>();
    all.set(table.data.name, own);
    for (const [name, each] of tools.fields(made) ?? []) {
      if (each.kind === "handle" && isDeclared(each.data)) own.set(name, each.data);
    }
  }
  return all;
}
