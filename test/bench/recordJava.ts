// Statements of a program in Java: Maven brings its libraries, and what they give to the driver is kept
// (`java/RecordStatements.java`).
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const FIRST_NUMBER = 1000;
const own = path.join(__dirname, "java");

/** The runs of one file of programs against a PostgreSQL that listens on a port. */
export function recordJava(
  program: string,
  { folder, data, url }: { readonly folder: string; readonly data: string; readonly url: string },
): readonly unknown[] {
  const place = path.join(folder, "java");
  const classes = path.join(place, "classes");
  mkdirSync(classes, { recursive: true });
  copyFileSync(path.join(own, "pom.xml"), path.join(place, "pom.xml"));
  run("mvn", ["-q", "-B", "dependency:copy-dependencies"], place);
  const source = path.join(data, "programs", program);
  const libraries = path.join(place, "target/dependency/*");
  const recorder = path.join(own, "RecordStatements.java");
  run("javac", ["-parameters", "-proc:none", "-cp", libraries, "-d", classes, source, recorder], place); // prettier-ignore
  const [reset, result] = [path.join(place, "reset.sql"), path.join(place, "result.json")];
  writeFileSync(reset, resetOf(data));
  const classPath = [classes, libraries].join(path.delimiter);
  run("java", ["-cp", classPath, "shop.RecordStatements", source, reset, result], place, { JDBC_URL: url }); // prettier-ignore
  // Written by the process that has just ended.
  return JSON.parse(readFileSync(result, "utf8")) as readonly unknown[];
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): void {
  const stdio = ["ignore", "ignore", "inherit"] as const;
  const { status } = spawnSync(program, args, { cwd, stdio: [...stdio], env: { ...process.env, ...env } }); // prettier-ignore
  if (status !== 0) throw new Error(`${program} failed`);
}

/** The script that makes the tables with their rows anew. */
function resetOf(data: string): string {
  const rows = JSON.parse(readFileSync(path.join(data, "rows.json"), "utf8")) as Readonly<
    Record<string, readonly Readonly<Record<string, unknown>>[]>
  >;
  const tables = Object.keys(rows);
  const inserts = Object.entries(rows).flatMap(([table, all]) => [
    ...all.map((row) => {
      const values = Object.values(row).map((value) => typeof value === "string" ? `'${value}'` : String(value)); // prettier-ignore
      return `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")});`;
    }),
    ...(all[0]?.["id"] === undefined
      ? []
      : [`ALTER SEQUENCE ${table}_id_seq RESTART WITH ${String(FIRST_NUMBER)};`]),
  ]);
  const ddl = readFileSync(path.join(data, "tables.sql"), "utf8");
  return [`DROP TABLE IF EXISTS ${tables.reverse().join(", ")} CASCADE;`, ddl, ...inserts].join("\n"); // prettier-ignore
}
