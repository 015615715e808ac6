// Slonik: queries are made by tags (`sql.type(t)`, `sql.unsafe`) and run by methods that say how many rows they expect.
import { driver } from "./driver";
import { tagHooks } from "./tags";

const TAGS = tagHooks({
  tags: ["sql", "sql.unsafe", "sql.fragment", "sql.type", "sql.typeAlias"],
  identifiers: ["sql.identifier"],
  joins: ["sql.join"],
  values: ["array", "json", "jsonb", "literalValue", "date", "timestamp", "uuid"].map(
    (name) => `sql.${name}`,
  ),
});

export const SLONIK = driver(
  {
    name: "slonik",
    modules: ["slonik"],
    clients: {
      db: { kind: "pool", types: ["DatabasePool"], made: ["createPool"] },
      connection: {
        kind: "connection",
        as: "db",
        types: [
          "CommonQueryMethods",
          "DatabaseConnection",
          "DatabasePoolConnection",
          "DatabaseTransactionConnection",
        ],
      },
    },
    methods: {
      "db: query": { kind: "sql", result: { rows: "rows", rowCount: "count" } },
      "db: any": { kind: "sql", result: "rows" },
      "db: many": { kind: "sql", result: "rows", isRequired: true },
      "db: one": { kind: "sql", result: "row", isRequired: true },
      "db: maybeOne": { kind: "sql", result: "row" },
      "db: anyFirst": { kind: "sql", result: "values" },
      "db: manyFirst": { kind: "sql", result: "values", isRequired: true },
      "db: oneFirst": { kind: "sql", result: "value", isRequired: true },
      "db: maybeOneFirst": { kind: "sql", result: "value" },
      "db: exists": { kind: "sql", result: "exists" },
      "db: connect": { kind: "scope", client: "db", isTransaction: false },
      "db: transaction": { kind: "scope", client: "db", isTransaction: true, isNested: true },
      "db: end": { kind: "nothing" },
    },
  },
  {
    ...TAGS,
    call: (handle, call, tools) =>
      handle.path === "createSqlTag" ? tools.handle("sql") : TAGS.call(handle, call, tools),
  },
);
