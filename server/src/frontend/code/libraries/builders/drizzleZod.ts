// drizzle-zod: schemas of zod that are made of Drizzle's tables (`createInsertSchema(users, { name: (s) => s.min(1) })`).
import { dictionary } from "../../../../protocol/dictionary";
import { literal } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import type { Value } from "../../values";
import type { Call, Tools } from "../library";
import type { Check, Schema } from "../validators/refinement";
import { optionally, schemaOf, zodSchema } from "../validators/zod";
import { isTable, type DrizzleColumn } from "./drizzleTables";

const MAKERS = dictionary<"select" | "insert" | "update" | undefined>({
  createSelectSchema: "select",
  createInsertSchema: "insert",
  createUpdateSchema: "update",
});

/** The schema of a table's rows, as far as it is made of one. Linear in its columns. */
export function tableSchema(path: string, call: Call, tools: Tools): Value | undefined {
  const how = MAKERS[path];
  const [table, refine] = call.arguments;
  if (how === undefined || table?.kind !== "handle" || !isTable(table.data)) return undefined;
  const own =
    refine && refine.kind !== "undefined" ? tools.fields(refine) : new Map<string, Value>();
  if (!own) return undefined;
  const fields = new Map<string, Schema>();
  for (const [key, column] of table.data.columns) {
    const refined = own.get(key);
    if (refined && refined.kind !== "function") {
      fields.set(key, schemaOf(refined));
    } else if (how === "select" || column.isGenerated !== true) {
      const plain = schemaOfColumn(column);
      const given = refined ? tools.call(refined, [zodSchema(plain)], call.source) : undefined;
      fields.set(key, around(given ? schemaOf(given) : plain, column, how));
    }
  }
  return zodSchema({ kind: "object", fields, checks: [] });
}

/** The columns that may be left out of a row that is written, and those that may be NULL. */
function around(
  schema: Schema,
  column: DrizzleColumn,
  how: "select" | "insert" | "update",
): Schema {
  const { isRequired, hasDefault } = column;
  const nullable = isRequired ? schema : optionally(schema, "nullable");
  const mayLack = how === "update" || (how === "insert" && (!isRequired || hasDefault === true));
  return mayLack ? optionally(nullable, "optional") : nullable;
}

const KINDS: Readonly<Partial<Record<DrizzleColumn["type"], Schema["kind"]>>> = {
  int: "number",
  text: "text",
  bool: "truth",
};

function schemaOfColumn({ type, takes, mode, hasLength }: DrizzleColumn): Schema {
  if (takes?.kind === "labels") {
    const labels = takes.labels.map((each) => [each, each] as const);
    const check: Check = (value) => connective("or", takes.labels.map((each) => compare("=", value, literal(each)))); // prettier-ignore
    return { kind: "other", checks: [check], members: new Map(labels) };
  }
  const kind = mode === "bigint" ? undefined : KINDS[type];
  const isFormat = takes !== undefined && takes.kind !== "length";
  return {
    kind: kind ?? "other",
    checks: [],
    ...((hasLength ?? isFormat) && { refusesMore: true }),
  };
}
