// mysql2 (and mysql): pools, connections, transactions by method, `[rows, fields]`.
import { constantText, isArray, type HandleValue, type Value } from "../values";
import {
  valueFragment as hole,
  raw,
  joinFragments,
  sequence,
  type Fragment,
} from "./builders/draft";
import { driver, type Query } from "./driver";
import type { Call, Tools } from "./library";
import { queryOf } from "./rawSql";

export const MYSQL2 = driver(
  {
    name: "mysql2",
    modules: ["mysql2", "mysql2/promise", "mysql", "promise-mysql", "mariadb"],
    callbacks: true,
    clients: {
      pool: { kind: "pool", types: ["Pool"], made: ["createPool", "mysql2.createPool"] },
      connection: {
        kind: "connection",
        types: ["PoolConnection", "Connection"],
        made: ["createConnection", "mysql2.createConnection"],
      },
    },
    methods: {
      "pool: getConnection": { kind: "client", client: "connection" },
      "pool|connection: promise": { kind: "itself" },
      "pool|connection: query execute": {
        kind: "sql",
        result: ["rows", "fields"],
        changed: [{ affectedRows: "count", changedRows: "count", insertId: "insertId" }, "fields"],
      },
      "connection: beginTransaction": { kind: "begin" },
      "connection: commit": { kind: "commit" },
      "connection: rollback": { kind: "rollback" },
      "pool|connection: end on": { kind: "nothing" },
      "connection: connect ping": { kind: "done" },
      "connection: release destroy": { kind: "nothing" },
    },
    duckTyped: {
      methods: ["query", "execute"],
      dialects: ["mysql", "mariadb"],
      pool: "pool",
      connection: "connection",
    },
  },
  { query: mysqlQuery },
);

/**
 * The text and its parameters as the client sends them: `query` spells out records (`SET ?`) and lists (`IN (?)`), and
 * takes a single value for a list of one.
 */
export function mysqlQuery({ path }: HandleValue, call: Call, tools: Tools): Query {
  const [, second] = call.arguments;
  const given = queryOf(call, tools);
  if (second?.kind === "scalar" || second?.kind === "text") {
    return { ...given, parameters: { positional: [second] } };
  }
  const pieces = constantText(given.text)?.split("?");
  const isOne = second?.kind === "object" && pieces?.length === 2;
  const positional = isOne ? [second] : given.parameters.positional;
  const isSpelledOut =
    path.endsWith(".query") && pieces && positional?.length === pieces.length - 1;
  if (!isSpelledOut) return given;
  const texts = positional.map((value) => spelledOut(value, tools));
  if (texts.every((each) => each === undefined)) return given;
  const parts = pieces.flatMap((piece, at) => {
    const value = positional[at];
    return value ? sequence(piece, texts[at] ?? hole(value)) : raw(piece);
  });
  return { text: { kind: "text", parts }, parameters: {} };
}

/** A record or list as text; undefined of all else. */
function spelledOut(value: Value, tools: Tools): Fragment | undefined {
  const fields = value.kind === "object" ? tools.fields(value) : undefined;
  if (fields) {
    const set = [...fields].map(([name, each]) => sequence(`\`${name}\` = `, hole(each)));
    return joinFragments(set, ", ");
  }
  if (value.kind !== "list" && !isArray(value)) return undefined;
  const items = tools.members(value);
  if (!items) return undefined;
  const inner = items.map((item) => {
    const own = tools.items(item);
    return own ? sequence("(", joinFragments(own.map(hole), ", "), ")") : hole(item);
  });
  return joinFragments(inner, ", ");
}
