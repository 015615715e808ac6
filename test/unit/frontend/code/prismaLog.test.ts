// The statements that the real client of Prisma sent (test/data/prisma), against those that are read from the same code.
// Compared are what each statement does with which tables, and the order of all of them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Command, Statement } from "../../../../server/src/program/statement";
import type { Query } from "../../../../server/src/program/expression";
import { losses, transactionsOf } from "./prismaPrograms";

interface Recording {
  readonly client: string;
  readonly schema: string;
  readonly recorded: readonly {
    readonly program: string;
    readonly statements: readonly string[];
  }[];
}

const file = path.join(__dirname, "../../../data/prisma/statements.json");
// Written by the script that the README beside it describes.
const { schema, recorded } = JSON.parse(readFileSync(file, "utf8")) as Recording;

/** `select Org, users`: the verb, then all tables in alphabetical order. */
function summaryOfSql(sql: string): string | undefined {
  if (/^(BEGIN|COMMIT|ROLLBACK|SET)\b/.test(sql)) return undefined;
  const [verb = ""] = sql.split(" ");
  const named = [...sql.matchAll(/(?:FROM|JOIN|INTO|^UPDATE) "(\w+)"/g)].map(
    ([, name = ""]) => name,
  );
  return `${verb.toLowerCase()} ${[...new Set(named)].sort().join(", ")}`;
}

function tablesOfQuery(query: Query): readonly string[] {
  return query.relations.map(({ table }) => table);
}

function summaryOf(statement: Statement): string {
  const found = new Set<string>();
  // Subqueries stand anywhere inside of it.
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    if ("relations" in part) for (const table of tablesOfQuery(part as Query)) found.add(table);
    Object.values(part).forEach(visit);
  };
  visit(statement);
  if (statement.kind === "insert") found.add(statement.table);
  if (statement.kind === "update" || statement.kind === "delete")
    found.add(statement.relation.table);
  return `${statement.kind} ${[...found].sort().join(", ")}`;
}

/** All sequences of statements that a command may run, loops none or one time. */
function paths(command: Command): readonly (readonly string[])[] {
  switch (command.kind) {
    case "sequence":
      return command.commands.reduce<readonly (readonly string[])[]>(
        (before, each) => before.flatMap((head) => paths(each).map((tail) => [...head, ...tail])),
        [[]],
      );
    case "statement":
      return [[summaryOf(command.statement)]];
    case "if":
      return [...paths(command.then), ...(command.otherwise ? paths(command.otherwise) : [[]])];
    case "loop":
      return [[], ...paths(command.body)];
    case "atomic":
      return paths(command.body);
    default:
      return [[]];
  }
}

test("the statements of each operation are those that the client sends", async () => {
  const wrong: string[] = [];
  for (const { program, statements } of recorded) {
    const code = `import { PrismaClient } from "@prisma/client";\nconst prisma = new PrismaClient();\nexport async function f() {\n  return ${program};\n}\n`;
    const [transaction] = await transactionsOf(schema, { "f.ts": code });
    const sent = statements.flatMap((each) => summaryOfSql(each) ?? []);
    const read = transaction ? paths(transaction.body).map((each) => each.join("; ")) : [];
    if (!read.includes(sent.join("; "))) {
      wrong.push(`${program}\n  sent ${sent.join("; ")}\n  read ${read.join("\n       ")}`);
    }
    const isOne = transaction?.boundary === "explicit" || transaction?.boundary === "autocommit";
    const committed = statements.includes("COMMIT");
    if (!isOne || (transaction.boundary === "explicit") !== committed) {
      const isReading = sent.every((each) => each.startsWith("select"));
      // Related rows are read outside of a transaction, by several statements.
      if (!isReading || committed)
        wrong.push(`${program}\n  is ${transaction?.boundary ?? "nothing"}`);
    }
    if (transaction) {
      for (const reason of losses(transaction)) wrong.push(`${program}\n  lost ${reason}`);
    }
  }
  assert.deepEqual(wrong, [], wrong.join("\n"));
  assert.ok(recorded.length > 40);
});
