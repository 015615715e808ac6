// Arguments of an operation of the Prisma client where the code does not say all of it: an argument of the function's
// own, a spread of one, one of two records.
import { dictionary } from "../../../../protocol/dictionary";
import { isNull, type Value } from "../../values";
import { isAbsent } from "./argumentValues";
import type { Work } from "./context";

const RESULT = ["select", "include", "omit"];
const SECTION = ["where", "orderBy", "take", "skip", "cursor", "distinct"];
const AGGREGATES = ["_count", "_sum", "_avg", "_min", "_max"];
const FIND = [...SECTION, ...RESULT];

/** The parts of each operation's argument that are read; others are told. */
const PARTS = dictionary<readonly string[]>({
  findUnique: ["where", ...RESULT],
  findUniqueOrThrow: ["where", ...RESULT],
  findFirst: FIND,
  findFirstOrThrow: FIND,
  findMany: FIND,
  count: [...SECTION, "select"],
  aggregate: [...SECTION, ...AGGREGATES],
  groupBy: [...SECTION, "by", "having", ...AGGREGATES],
  create: ["data", ...RESULT],
  createMany: ["data", "skipDuplicates"],
  createManyAndReturn: ["data", "skipDuplicates", ...RESULT],
  update: ["where", "data", ...RESULT],
  updateMany: ["where", "data"],
  updateManyAndReturn: ["where", "data", ...RESULT],
  upsert: ["where", "create", "update", ...RESULT],
  delete: ["where", ...RESULT],
  deleteMany: ["where"],
});

/**
 * The operation once for each record that it may be called with, and for each of two things that the record may ask of
 * its result, each part of it by its name: what is not known of the record is not known of every part. Parts that nobody reads taint the statements of the operation.
 */
export function withArguments(work: Work, run: (work: Work) => Value): Value {
  const { operation, name, args } = work;
  const { tools } = operation;
  if (args === undefined || isAbsent(args) || isNull(args)) return run(work);
  if (args.kind === "choice") {
    const way = (each: Value) => (): Value => withArguments({ ...work, args: each }, run);
    return tools.either(args.condition, way(args.then), way(args.otherwise));
  }
  const fields = tools.fields(args);
  const parts = PARTS[name] ?? [];
  if (fields === undefined) {
    const known = parts.map((part) => [part, tools.field(args, part)] as const);
    return run({ ...work, args: tools.object(Object.fromEntries(known)) });
  }
  for (const part of RESULT) {
    const choice = fields.get(part);
    if (choice?.kind !== "choice") continue;
    const way = (each: Value) => (): Value => {
      const one = tools.object({ ...Object.fromEntries(fields), [part]: each });
      return withArguments({ ...work, args: one }, run);
    };
    return tools.either(choice.condition, way(choice.then), way(choice.otherwise));
  }
  const others = [...fields].filter(([part, value]) => !parts.includes(part) && !isAbsent(value));
  if (others.length === 0) return run(work);
  const losses = others.map(([part]) => `"${part}" is left out`);
  const all = [...(operation.losses ?? []), ...losses];
  return run({ ...work, operation: { ...operation, losses: all } });
}
