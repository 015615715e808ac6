// Changes to a program that keep what it does: the verdict of `check` must be the same before and after.
import { randomOf } from "../servers/random";
import type { ExampleFile } from "./examples";

export interface Law {
  readonly name: string;
  /** The program changed; undefined where there is nothing to change. */
  readonly change: (files: readonly ExampleFile[]) => readonly ExampleFile[] | undefined;
}

/** Transactions that a change adds are named so; findings about them are not compared. */
export const ADDED = /^(?:inner_|Unrelated)/;

export const LAWS: readonly Law[] = [
  {
    name: "an unrelated table and a transaction on it are added",
    change: (files) => [
      ...files,
      file(
        "zz_unrelated.sql",
        "CREATE TABLE unrelated_audit (id integer PRIMARY KEY, what integer);\n-- @transaction Unrelated\nBEGIN;\nSELECT what FROM unrelated_audit WHERE id = :id;\nUPDATE unrelated_audit SET what = 1 WHERE id = :id;\nCOMMIT;\n",
      ),
    ],
  },
  {
    name: "unrelated files are added",
    change: (files) => [
      file("aa/empty.sql", "-- nothing\n"),
      file("aa/view.sql", "CREATE TABLE unrelated_list (id integer PRIMARY KEY);\n"),
      ...files,
      file("zz/helper.ts", "export const double = (value: number): number => value * 2;\n"),
    ],
  },
  {
    name: "files come in another order",
    change: (files) => (files.length > 1 ? [...files].reverse() : undefined),
  },
  {
    name: "transactions come in another order",
    change: (files) =>
      eachSql(files, (text) => {
        const parts = partsOf(text);
        return parts.length > 2 && !hasDelimiters(text)
          ? [parts[0] ?? "", ...randomOf(parts.length).shuffled(parts.slice(1))].join("")
          : text;
      }),
  },
  {
    name: "each transaction stands in a file of its own",
    change: (files) => {
      const split = files.flatMap(({ name, text }) => {
        const parts = isSql(name) && !hasDelimiters(text) ? partsOf(text) : [text];
        return parts.length < 3
          ? [file(name, text)]
          : parts.map((part, at) => file(name.replace(/\.sql$/, `_${String(at)}.sql`), part));
      });
      return split.length > files.length ? split : undefined;
    },
  },
  {
    name: "all SQL stands in one file",
    change: (files) => {
      const sql = files.filter(({ name }) => isSql(name));
      if (sql.length < 2) return undefined;
      const ordered = [...sql].sort(
        (a, b) => Number(b.name.includes("schema")) - Number(a.name.includes("schema")),
      );
      return [
        file("all.sql", ordered.map(({ text }) => text).join("\n")),
        ...files.filter(({ name }) => !isSql(name)),
      ];
    },
  },
  {
    name: "each function is wrapped in another one",
    change: (files) => eachSql(files, (text) => text.replace(FUNCTION, wrapped)),
  },
  {
    name: "each call of a statement is wrapped in a helper",
    change: (files) =>
      eachCode(files, (text) => {
        const changed = text.replace(CALL, "await runStatement($1, `");
        return changed === text ? text : changed + HELPER;
      }),
  },
  {
    name: "bodies stand in a block of their own",
    change: (files) =>
      eachSql(files, (text) =>
        text.replace(
          /(LANGUAGE plpgsql AS \$\$\n(?:DECLARE\n(?: {2}.*\n)*)?)BEGIN\n((?: .*\n|\n)*)END \$\$;/g,
          "$1BEGIN\n  BEGIN\n$2  END;\nEND $$$$;",
        ),
      ),
  },
  {
    name: "lines end as on Windows",
    change: (files) => files.map(({ name, text }) => file(name, text.replace(/\r?\n/g, "\r\n"))),
  },
  {
    name: "comments and empty lines are added",
    change: (files) =>
      eachSql(files, (text) =>
        text
          .replace(/;\n(?! *--)/g, "; -- a remark\n\n")
          .replace(/^(\s*)(UPDATE|INSERT|DELETE) /gm, "$1$2 /* a remark */ "),
      ),
  },
  {
    name: "words of SQL are written small",
    change: (files) =>
      eachSql(files, (text) =>
        text.replace(
          /\b(?:SELECT|UPDATE|INSERT|INTO|DELETE|FROM|WHERE|SET|VALUES|AND|OR|IF|THEN|END|LOOP|FOR|RETURN)\b/g,
          (word) => word.toLowerCase(),
        ),
      ),
  },
];

const CALL = /await ((?:this\.)?client)\.query(?:<\w+>)?\(\s*`/g;
const HELPER = `
async function runStatement(handle: PoolClient, text: string, values?: readonly unknown[]): Promise<any> {
  return handle.query(text, values);
}
`;

const FUNCTION =
  /((?:^--.*\n)*)^CREATE FUNCTION (\w+)\(([^)]*)\)\s+RETURNS (\w+)\s+LANGUAGE plpgsql AS \$\$[\s\S]*?END \$\$;/gm;

function wrapped(
  all: string,
  comments: string,
  name: string,
  parameters: string,
  type: string,
): string {
  const names = parameters.split(",").flatMap((each) => /^\s*(\w+)/.exec(each)?.[1] ?? []);
  const call = `inner_${name}(${names.join(", ")})`;
  const body = type === "void" ? `PERFORM ${call};` : `RETURN ${call};`;
  const inner = all.replace(`FUNCTION ${name}(`, `FUNCTION inner_${name}(`);
  return `${inner}\n\n${comments}CREATE FUNCTION ${name}(${parameters}) RETURNS ${type}\nLANGUAGE plpgsql AS $$\nBEGIN\n  ${body}\nEND $$;`;
}

/** The text before the first transaction or definition, and each of these with the comments before it. */
function partsOf(text: string): readonly string[] {
  return text.split(
    /^(?=(?:--(?! @transaction).*\n)*(?:CREATE (?:FUNCTION|TABLE|VIEW|TRIGGER|INDEX)\b|-- @transaction\b))(?<!^--.*\n)/m,
  );
}

function isSql(name: string): boolean {
  return name.endsWith(".sql");
}

function hasDelimiters(text: string): boolean {
  return /^delimiter /im.test(text);
}

function file(name: string, text: string): ExampleFile {
  return { name, text };
}

function eachSql(
  files: readonly ExampleFile[],
  change: (text: string) => string,
): readonly ExampleFile[] | undefined {
  return changed(files, isSql, change);
}

function eachCode(
  files: readonly ExampleFile[],
  change: (text: string) => string,
): readonly ExampleFile[] | undefined {
  return changed(files, (name) => name.endsWith(".ts"), change);
}

function changed(
  files: readonly ExampleFile[],
  isMeant: (name: string) => boolean,
  change: (text: string) => string,
): readonly ExampleFile[] | undefined {
  const after = files.map(({ name, text }) => file(name, isMeant(name) ? change(text) : text));
  return after.some(({ text }, at) => text !== files[at]?.text) ? after : undefined;
}
