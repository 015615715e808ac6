// `npm run fuzz:names -- --minutes N`: all example programs and random ones under names that are drawn. Ends with 1 where a
// verdict changes. docs/fuzzing.md tells the options.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { app, sql } from "../../unit/truth/analyse";
import { mariadbProgram } from "../servers/mariadbPrograms";
import { postgresProgram } from "../servers/postgresPrograms";
import { randomOf, type Random } from "../servers/random";
import { breachOf, codeExample, saidOf, sqlExample, type Example } from "./law";
import { isDynamic } from "./renaming";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    example: { type: "string" },
    out: { type: "string", default: "test-results/fuzz/names" },
  },
});

const COLUMNS = ["stock", "seats", "customerId", "workspaceId", "lastReceipt"];

void main();

async function main(): Promise<void> {
  const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed);
  console.log(`first seed ${String(first)}`);
  const end = Date.now() + Number(values.minutes) * 60_000;
  const known = new Map<string, readonly string[] | string>();
  let wrong = 0;
  let count = 0;
  for (let seed = first; Date.now() < end; seed += 1) {
    const random = randomOf(seed);
    const example = random.pick(candidates(random, seed));
    const expected = known.get(example.name) ?? (await saidOf(example).catch(textOf));
    known.set(example.name, expected);
    if (typeof expected === "string") {
      console.log(`${example.name} is left out, seed ${String(seed)}: ${expected}`);
      continue;
    }
    count += 1;
    const breach = await breachOf(example, expected, random).catch(faultOf);
    if (breach === undefined) continue;
    wrong += 1;
    mkdirSync(values.out, { recursive: true });
    const file = path.join(values.out, `${String(seed)}.txt`);
    const texts = breach.files.map((each) => `-- ${each.file}\n${each.text}`).join("\n");
    writeFileSync(file, `${example.name}\n${differences(breach)}\n\n${texts}`);
    console.log(`${example.name}: ${file}\n${differences(breach)}`);
  }
  console.log(`${String(count)} namings, ${String(wrong)} that change a verdict`);
  process.exitCode = wrong === 0 ? 0 : 1;
}

interface Difference {
  readonly expected: readonly string[];
  readonly found: readonly string[];
}

function differences({ expected, found }: Difference): string {
  const lost = expected.filter((line) => !found.includes(line)).map((line) => `  - ${line}`);
  const added = found.filter((line) => !expected.includes(line)).map((line) => `  + ${line}`);
  return [...lost, ...added].join("\n");
}

function faultOf(error: unknown): Difference & { readonly files: [] } {
  return {
    expected: [],
    found: [textOf(error)],
    files: [],
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Examples with levels that are drawn. */
function candidates(random: Random, seed: number): readonly Example[] {
  const level = random.pick([
    "postgres:read-committed",
    "postgres:repeatable-read",
    "snapshot-isolation",
  ]);
  const mysqlLevel = random.pick(["mysql:read-committed", "mysql:repeatable-read"]);
  const apps = [
    "bank",
    "courseware",
    "inventory",
    "micro",
    "oncall",
    "smallbank",
    "smallbank-classic",
    "tatp",
  ];
  const all = [
    ...apps.map((name) => sqlExample(name, app(name), "postgres", level)),
    ...["bank-mysql", "smallbank-mysql"].map((name) =>
      sqlExample(name, app(name), "mysql", mysqlLevel),
    ),
    ...fixtures().map(([name, text]) => sqlExample(name, [sql(text)], "postgres", level)),
    ...["smallbank-ts", "smallbank-java", "knex-shapes", "kysely-shapes", "spring-shapes"].map(
      (name) => codeExample(name, level),
    ),
    ...["drizzle-shapes"].map((name) => codeExample(name, level, COLUMNS)),
    // A class has no field called `constructor` or `prototype`.
    ...["typeorm-shapes", "sequelize-shapes"].map((name) =>
      codeExample(name, level, COLUMNS, (each) => !["constructor", "prototype"].includes(each)),
    ),
    sqlExample(`random ${String(seed)}`, [sql(postgresProgram(seed).text)], "postgres", level),
    sqlExample(`random ${String(seed)}`, [sql(mariadbProgram(seed).text)], "mysql", mysqlLevel),
  ];
  return values.example === undefined
    ? all
    : all.filter(({ name }) => name.startsWith(values.example ?? ""));
}

function fixtures(): readonly (readonly [string, string])[] {
  const folder = path.join(__dirname, "../../unit/frontend/pg/fixtures");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => [name, readFileSync(path.join(folder, name), "utf8")] as const)
    .filter(([, text]) => !isDynamic(text) && text.length < 4000);
}
