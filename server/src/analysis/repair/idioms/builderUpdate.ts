// An UPDATE by a query builder call: computed from the row itself, with conditions on it, in the syntax of each library.
import {
  childOf,
  namedChildren,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { TextEdit } from "../candidate";
import type { CodeGuard } from "./codeGuards";
import { NO_CONDITIONS, NO_ROW } from "./reasons";
import { RESULT, type GuardedColumn, type Idiom, type Place } from "./updateIdiom";
import { changeOf, textOf, type Change, type CodeColumn } from "./columnValue";
import { argumentsOf, placeOfProperty, propertyOf, type Link } from "./syntax";

const WORDS: Readonly<
  Record<
    CodeGuard["comparison"],
    { readonly prisma: string; readonly drizzle: string; readonly typeorm: string }
  >
> = {
  ">": { prisma: "gt", drizzle: "gt", typeorm: "MoreThan" },
  ">=": { prisma: "gte", drizzle: "gte", typeorm: "MoreThanOrEqual" },
  "<": { prisma: "lt", drizzle: "lt", typeorm: "LessThan" },
  "<=": { prisma: "lte", drizzle: "lte", typeorm: "LessThanOrEqual" },
  "=": { prisma: "equals", drizzle: "eq", typeorm: "Equal" },
  "<>": { prisma: "not", drizzle: "ne", typeorm: "Not" },
  is: { prisma: "equals", drizzle: "isNull", typeorm: "IsNull" },
  "is not": { prisma: "not", drizzle: "isNotNull", typeorm: "Not" },
};

const SEQUELIZE: Readonly<Record<CodeGuard["comparison"], string>> = {
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
  "=": "eq",
  "<>": "ne",
  is: "is",
  "is not": "not",
};

/** True for tests of NULL, which some libraries write without a value. */
function testsNull({ comparison }: CodeGuard): boolean {
  return comparison === "is" || comparison === "is not";
}

interface Computed {
  readonly column: string;
  readonly key: string;
  readonly change: Change;
  readonly value: SyntaxNode;
  readonly by: string;
}

/** The edits for a query builder call. */
export function builderUpdate(
  place: Place,
  chain: readonly Link[],
  columns: readonly GuardedColumn[],
): Idiom | string {
  const [first] = columns;
  if (!first) return "nothing is to be written";
  const { tree } = first.held;
  const objects = chain.flatMap(argumentsOf).flatMap((node) => objectsIn(node));
  const computed = columns.flatMap(({ column, key, held }): readonly Computed[] => {
    for (const object of objects) {
      const value = propertyOf(object, tree.text, key);
      const change = value && changeOf(held, value);
      if (value && change) return [{ column, key, change, value, by: textOf(tree, change.by) }];
    }
    return [];
  });
  const guards = columns.flatMap(({ column, key, guards: all }) =>
    all.map((guard) => ({ column, key, ...guard })),
  );
  const edited = inLibrary({ ...place, tree, chain, computed, guards });
  if (typeof edited === "string") return edited;
  return { ...edited, computed: computed.map(({ column }) => column) };
}

/** A query builder call with the columns to compute and to test. */
interface BuilderCall extends Place, Pick<CodeColumn, "tree"> {
  readonly chain: readonly Link[];
  readonly computed: readonly Computed[];
  readonly guards: readonly (CodeGuard & { readonly column: string; readonly key: string })[];
}

type Edited = Omit<Idiom, "computed"> | string;

function inLibrary(of: BuilderCall): Edited {
  switch (of.connection.library) {
    case "prisma":
      return prismaUpdate(of);
    case "drizzle":
      return drizzleUpdate(of);
    case "kysely":
      return kyselyUpdate(of);
    case "knex":
      return knexUpdate(of);
    case "typeorm":
      return of.chain.some(({ name }) => name === "set") ? typeormBuilder(of) : typeormUpdate(of);
    case "sequelize":
      return sequelizeUpdate(of);
    case "driver":
    case "tagged":
    case "jdbc":
    case "jpa":
    case "template":
      return "its library has no plain way to compute in an UPDATE";
  }
}

/** An object literal and those nested in it. */
function objectsIn(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.type !== "object") return [];
  const inner = namedChildren(node).flatMap((child) => {
    const value = child.type === "pair" ? childOf(child, "value") : undefined;
    return value ? objectsIn(value) : [];
  });
  return [node, ...inner];
}

function prismaUpdate({ edit, chain, computed, guards, tree }: BuilderCall): Edited {
  const edits = computed.map(({ value, change, by }) =>
    edit(
      value.start,
      value.end,
      `{ ${change.operator === "+" ? "increment" : "decrement"}: ${by} }`,
    ),
  );
  if (guards.length === 0) return { edits };
  const [call] = chain;
  const options = call && argumentsOf(call)[0];
  const where = options && propertyOf(options, tree.text, "where");
  if (!call || !options || where?.type !== "object") return NO_CONDITIONS;
  if (call.name !== "update" && call.name !== "updateMany") return "it is no update";
  if (["select", "include"].some((name) => propertyOf(options, tree.text, name)))
    return "what it returns is used";
  const { at, comma } = placeOfProperty(where);
  const added = guards.map(({ key, comparison, value }) => {
    const isEqual = comparison === "is" || comparison === "=";
    return `${key}: ${isEqual ? value : `{ ${WORDS[comparison].prisma}: ${value} }`}`;
  });
  const name = renamed(edit, tree, call, "updateMany");
  return {
    edits: [...edits, name, edit(at, at, `${comma}${added.join(", ")}`)],
    result: { binding: RESULT, none: `${RESULT}.count === 0` },
  };
}

function drizzleUpdate({ edit, isMysql, chain, computed, guards, tree }: BuilderCall): Edited {
  const update = chain.find(({ name }) => name === "update");
  const where = chain.find(({ name }) => name === "where");
  const [table] = update ? argumentsOf(update) : [];
  const [condition] = where ? argumentsOf(where) : [];
  const last = chain.at(-1);
  if (!table || !condition || !last) return NO_ROW;
  const own = textOf(tree, table);
  const edits = computed.map(({ value, key, change, by }) =>
    edit(value.start, value.end, `sql\`\${${own}.${key}} ${change.operator} \${${by}}\``),
  );
  const names = computed.length > 0 ? ["sql"] : [];
  if (guards.length === 0) return { edits, imports: { from: "drizzle-orm", names } };
  const added = guards.map((guard) => {
    const operands = testsNull(guard) ? "" : `, ${guard.value}`;
    return `, ${WORDS[guard.comparison].drizzle}(${own}.${guard.key}${operands})`;
  });
  const returning = !isMysql && !chain.some(({ name }) => name === "returning");
  return {
    edits: [
      ...edits,
      edit(condition.start, condition.start, "and("),
      edit(condition.end, condition.end, `${added.join("")})`),
      ...(returning ? [edit(last.call.end, last.call.end, ".returning()")] : []),
    ],
    imports: {
      from: "drizzle-orm",
      names: [...names, "and", ...guards.map(({ comparison }) => WORDS[comparison].drizzle)],
    },
    result: isMysql
      ? { binding: `[${RESULT}]`, none: `${RESULT}.affectedRows === 0` }
      : { binding: RESULT, none: `${RESULT}.length === 0` },
  };
}

function kyselyUpdate({ edit, chain, computed, guards, tree }: BuilderCall): Edited {
  const where = chain.findLast(({ name }) => name === "where");
  const last = chain.at(-1);
  if (!where || !last) return NO_ROW;
  const set = chain.find(({ name }) => name === "set");
  const [values] = set ? argumentsOf(set) : [];
  if (computed.length > 0 && values?.type !== "object") return "its values are not written out";
  const edits = computed.map(({ value, column, change, by }) =>
    edit(value.start, value.end, `eb("${column}", "${change.operator}", ${by})`),
  );
  if (values && computed.length > 0)
    edits.push(edit(values.start, values.start, "(eb) => ("), edit(values.end, values.end, ")"));
  if (guards.length === 0) return { edits };
  if (!/^execute(?:TakeFirst)?$/u.test(last.name)) return "its result is asked for in another way";
  return {
    edits: [
      ...edits,
      edit(where.call.end, where.call.end, conditionsOf(guards)),
      renamed(edit, tree, last, "executeTakeFirst"),
    ],
    result: { binding: RESULT, none: `${RESULT}.numUpdatedRows === 0n` },
  };
}

function knexUpdate({ edit, connection, chain, computed, guards }: BuilderCall): Edited {
  const where = chain.findLast(({ name }) => /^(?:where|andWhere)$/u.test(name));
  if (!where) return NO_ROW;
  const edits = computed.map(({ value, column, change, by }) =>
    edit(
      value.start,
      value.end,
      `${connection.receiver}.raw("?? ${change.operator} ?", ["${column}", ${by}])`,
    ),
  );
  if (guards.length === 0) return { edits };
  return {
    edits: [...edits, edit(where.call.end, where.call.end, guards.map(knexCondition).join(""))],
    result: { binding: RESULT, none: `${RESULT} === 0` },
  };
}

function knexCondition(guard: BuilderCall["guards"][number]): string {
  if (!testsNull(guard)) return conditionsOf([guard]);
  return `.where${guard.comparison === "is" ? "" : "Not"}Null("${guard.column}")`;
}

/** `.where("stock", ">=", amount)` */
function conditionsOf(guards: BuilderCall["guards"]): string {
  return guards
    .map(({ column, comparison, value }) => `.where("${column}", "${comparison}", ${value})`)
    .join("");
}

function typeormBuilder({ edit, chain, computed, guards }: BuilderCall): Edited {
  const where = chain.findLast(({ name }) => /^(?:where|andWhere)$/u.test(name));
  if (!where) return NO_ROW;
  const edits = computed.map(({ value, column, change }, at) =>
    edit(value.start, value.end, `() => "${column} ${change.operator} :change${suffix(at)}"`),
  );
  const parameters = computed.map(({ by }, at) => `.setParameter("change${suffix(at)}", ${by})`);
  const conditions = guards.map((guard, at) => {
    const { column, comparison, value } = guard;
    return testsNull(guard)
      ? `.andWhere("${column} ${comparison.toUpperCase()} NULL")`
      : `.andWhere("${column} ${comparison} :bound${suffix(at)}", { bound${suffix(at)}: ${value} })`;
  });
  const added = [...conditions, ...parameters].join("");
  return {
    edits: [...edits, edit(where.call.end, where.call.end, added)],
    result: { binding: RESULT, none: `${RESULT}.affected === 0` },
  };
}

function suffix(at: number): string {
  return at === 0 ? "" : String(at + 1);
}

/** `update(criteria, { stock: ... })` of a repository, or of a manager with the entity as first argument. */
function typeormUpdate({ edit, chain, computed, guards, tree }: BuilderCall): Edited {
  const [call] = chain;
  const given = call ? argumentsOf(call) : [];
  const [criteria, values] = given.slice(-2);
  if (call?.name !== "update" || criteria?.type !== "object" || values?.type !== "object")
    return NO_CONDITIONS;
  const { at, comma } = placeOfProperty(criteria);
  const added = guards.map((guard) => `${guard.key}: ${typeormTest(guard)}`);
  const own = atOnce({ call, values, computed, edit, tree });
  if (computed.length > 0 && own.length === 0) return SEVERAL;
  const [change] = computed;
  return {
    edits: [
      ...own,
      ...(change ? [edit(values.end, values.end, `, ${change.by}`)] : []),
      ...(guards.length > 0 ? [edit(at, at, `${comma}${added.join(", ")}`)] : []),
    ],
    result: { binding: RESULT, none: `${RESULT}.affected === 0` },
    imports: {
      from: "typeorm",
      names: guards.flatMap((guard) => typeormTest(guard).match(/[A-Z]\w+(?=\()/gu) ?? []),
    },
  };
}

/** `MoreThan(amount)`, `IsNull()`, `Not(IsNull())`. */
function typeormTest(guard: CodeGuard): string {
  const { comparison, value } = guard;
  if (!testsNull(guard)) return `${WORDS[comparison].typeorm}(${value})`;
  return comparison === "is" ? "IsNull()" : "Not(IsNull())";
}

/** `update({ stock: ... }, { where })`: unlike `decrement`, it returns the row count. */
function sequelizeUpdate({ edit, chain, computed, guards, tree }: BuilderCall): Edited {
  const [call] = chain;
  const [values, options] = call ? argumentsOf(call) : [];
  const where = options?.type === "object" ? propertyOf(options, tree.text, "where") : undefined;
  if (!options || call?.name !== "update" || values?.type !== "object" || where?.type !== "object")
    return NO_CONDITIONS;
  const [change] = computed;
  if (guards.length === 0) {
    const own = atOnce({ call, values, computed, edit, tree });
    const { at, comma } = placeOfProperty(options);
    return own.length === 0 || !change
      ? SEVERAL
      : { edits: [...own, edit(at, at, `${comma}by: ${change.by}`)] };
  }
  const edits = computed.map(({ value, column, change: { operator }, by }) =>
    edit(value.start, value.end, `literal(\`${column} ${operator} \${Number(${by})}\`)`),
  );
  const { at, comma } = placeOfProperty(where);
  const added = guards.map(
    ({ key, comparison, value }) => `${key}: { [Op.${SEQUELIZE[comparison]}]: ${value} }`,
  );
  return {
    edits: [...edits, edit(at, at, `${comma}${added.join(", ")}`)],
    result: { binding: `[${RESULT}]`, none: `${RESULT} === 0` },
    imports: { from: "sequelize", names: [...(computed.length > 0 ? ["literal"] : []), "Op"] },
  };
}

/** Renames the called method; the expression before it may end on an earlier line. */
function renamed(
  edit: Place["edit"],
  { text }: CodeColumn["tree"],
  { name, dot }: Link,
  other: string,
): TextEdit {
  const start = text.indexOf(name, dot);
  return edit(start, start + name.length, other);
}

const SEVERAL = "it writes several columns, and an increment takes one";

/** Replaces `update` by `increment` or `decrement`, and the object by the name of its only column. */
function atOnce({
  call,
  values,
  computed,
  edit,
  tree,
}: Pick<Place, "edit"> &
  Pick<CodeColumn, "tree"> & {
    readonly call: Link;
    readonly values: SyntaxNode;
    readonly computed: readonly Computed[];
  }): readonly TextEdit[] {
  const [only] = computed;
  if (!only || namedChildren(values).length !== 1) return [];
  const name = only.change.operator === "+" ? "increment" : "decrement";
  return [renamed(edit, tree, call, name), edit(values.start, values.end, `"${only.key}"`)];
}
