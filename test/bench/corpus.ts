// `npm run bench:corpus -- FOLDER...`: how much of real SQL the front end understands. Each folder is one database: its
// .sql files, and the SQL in the strings of its code. Counted are distinct statements that the grammar takes: libpg-query
// for PostgreSQL; for other dialects all that are no gibberish to their own reader. A statement is exact when nothing of
// it is lost in the AR. A definition that says nothing about what transactions read and write (GRANT, COMMENT, CREATE
// INDEX) is exact where it is recognised as such; a trigger, a rule or a policy is not.
//
//   npm run bench:corpus -- FOLDER... [--dialect mysql] [--reasons N] [--show REASON] [--examples N]
//                           [--differences N] [--sample SEED] [--count N]
import path from "node:path";
import { parseArgs } from "node:util";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { DIALECTS } from "../../server/src/program/dialect";
import { compareReadings, type Comparison } from "./corpus/agreement";
import { readCorpus, type Corpus, type Judged } from "./corpus/readCorpus";
import { counted, endWith, randomFrom } from "./randomRun";
import { statementText } from "./statementText";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dialect: { type: "string", default: "postgres" },
    reasons: { type: "string", default: "25" },
    /** Prints statements with a reason that contains this text. */
    show: { type: "string" },
    examples: { type: "string", default: "10" },
    /** Prints statements of which two readings differ. */
    differences: { type: "string", default: "5" },
    /** Draws exact statements at random, to read them beside the AR. */
    sample: { type: "string" },
    count: { type: "string", default: "40" },
  },
});

endWith(main());

/** The number of lock clauses that were lost. */
async function main(): Promise<number> {
  const dialect = DIALECTS.find((each) => each === options.dialect) ?? "postgres";
  const pg = await loadPgParser();
  const all: Judged[] = [];
  const comparisons: Comparison[] = [];
  for (const folder of positionals) {
    const corpus = await readCorpus(folder, dialect);
    all.push(...corpus.judged);
    printFolder(folder, corpus);
    if (dialect !== "postgres") continue;
    comparisons.push(...corpus.judged.flatMap((each) => compareReadings(each, pg) ?? []));
  }
  printClasses(all);
  printReasons(all);
  if (comparisons.length > 0) printAgreement(comparisons);
  if (options.show !== undefined) printExamples(all, options.show);
  if (options.sample !== undefined) printSample(all, Number(options.sample));
  return comparisons.flatMap(({ lostLocks }) => lostLocks).length;
}

function printFolder(folder: string, { judged, refused, tables, files, others }: Corpus): void {
  const exact = judged.filter(isExact).length;
  const changes = judged.filter(isChange);
  print(
    `${path.basename(folder).padEnd(28)} ${count(judged.length, 6)} statements, ${share(exact, judged.length)} exact; DML ${count(changes.length, 5)}, ${share(changes.filter(isExact).length, changes.length)} exact; ${String(tables)} tables, ${String(refused)} refused, ${String(files)} texts, ${String(others)} files of other dialects`,
  );
}

const isExact = ({ reasons }: Judged): boolean => reasons.length === 0;

/** SELECT, INSERT, UPDATE, DELETE and MERGE, in routines as well. */
const isChange = ({ what, text }: Judged): boolean =>
  what === "body" || (what === "data" && DML.test(text));

const DML = /^[\s(]*(?:select|insert|update|delete|merge|with|values|table|replace)\b/i;

/** The ground of the analysis: rows, tables and keys. */
function classOf(judged: Judged): string {
  const { what, text } = judged;
  if (what === "body") return "statements in routines";
  if (what === "routine") return "routines as a whole";
  const first = /^[\s(]*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? "";
  if (what === "data") return isChange(judged) ? first : "lock, truncate, copy, ...";
  if (what !== "ddl") return what === "call" ? "call, do" : "control and session";
  const kind = /^\w+\s+(?:or\s+replace\s+)?(?:unique\s+)?(\w+)/i.exec(text)?.[1]?.toLowerCase();
  return ["table", "index", "view"].includes(kind ?? "") ? `${first} ${kind ?? ""}` : "other DDL";
}

function printClasses(all: readonly Judged[]): void {
  print("\nclass                          count   exact");
  const line = (name: string, of: readonly Judged[]): void => {
    print(
      `${name.padEnd(30)} ${count(of.length, 5)}   ${share(of.filter(isExact).length, of.length)}`,
    );
  };
  for (const [name] of counted(all.map(classOf))) {
    line(
      name,
      all.filter((each) => classOf(each) === name),
    );
  }
  line("DML (aim 95 %)", all.filter(isChange));
  line("all (aim 97 %)", all);
}

function printReasons(all: readonly Judged[]): void {
  print("\nstatements  reason of loss (statements with that reason alone)");
  const lists = all.map(({ reasons }) => [...new Set(reasons.map(plainReason))]);
  const alone = new Map(counted(lists.flatMap((each) => (each.length === 1 ? each : []))));
  for (const [reason, times] of counted(lists.flat()).slice(0, Number(options.reasons)))
    print(`${count(times, 6)}  ${reason} (${String(alone.get(reason) ?? 0)})`);
}

/** A reason without the names in it. */
function plainReason(reason: string): string {
  return reason
    .replace(/^(The (?:trigger|rule|policy|unique index|exclusion constraint)) \S+/, "$1 …")
    .replace(/ on \S+ is not/, " on … is not")
    .replace(/^\S+ (is (?:defined a second|a partition|filled by)|inherits from)/, "… $1")
    .replace(/(?:[\w"$]+\.)*[\w"$?]+ is not known here/, "… is not known here")
    .replace(/the columns of \S+ are/, "the columns of … are");
}

function printAgreement(all: readonly Comparison[]): void {
  const locks = all.reduce((sum, each) => sum + each.locks, 0);
  const lost = all.filter(({ lostLocks }) => lostLocks.length > 0);
  print(`\nlock clauses ${String(locks)}, lost ${String(lost.length)}`);
  for (const { statement, lostLocks } of lost) {
    print(`    ${lostLocks.join(", ")}: ${place(statement)}`);
  }
  const apart = all.filter(({ tables }) => tables !== undefined);
  print(
    `tables read and written, tree against AR: ${String(all.length)} statements, ${share(all.length - apart.length, all.length)} agree`,
  );
  const most = Number(options.differences);
  for (const { statement, tables } of apart.slice(0, most))
    print(`    ${tables ?? ""}\n      ${place(statement)}`);
  const light = all.flatMap(({ light: each, statement }) => (each ? [{ ...each, statement }] : []));
  const whole = light.filter((each) => each.whole);
  const agree = (of: typeof light): string =>
    `${String(of.length)}, ${share(of.filter(({ agrees }) => agrees).length, of.length)} agree`;
  print(
    `two lowerings: of ${String(all.length)} statements both take ${agree(light)}; without any loss ${agree(whole)} in all`,
  );
  for (const { text, statement } of light.filter(({ agrees }) => !agrees).slice(0, most))
    print(`    ${place(statement)}\n      ${text}`);
}

function printExamples(all: readonly Judged[], wanted: string): void {
  const found = all.filter(({ reasons }) => reasons.some((reason) => reason.includes(wanted)));
  print(`\n${String(found.length)} statements with "${wanted}":`);
  for (const each of found.slice(0, Number(options.examples)))
    print(
      `\n${place(each)}\n  ${[...new Set(each.reasons)].join("; ")}\n${each.text.slice(0, 1500)}`,
    );
}

function printSample(all: readonly Judged[], seed: number): void {
  const left = all.filter((each) => isChange(each) && isExact(each));
  const random = randomFrom(seed);
  print(`\nof ${String(left.length)} exact statements, drawn with seed ${String(seed)}:`);
  for (let drawn = 1; drawn <= Number(options.count) && left.length > 0; drawn += 1) {
    const [one] = left.splice(Math.floor(random() * left.length), 1);
    if (one === undefined) break;
    print(`\n[${String(drawn)}] ${place(one)}\n${one.text}`);
    for (const statement of one.statements) print(`  = ${statementText(statement)}`);
  }
}

function place({ file, line }: Judged): string {
  return `${file}:${String(line)}`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`;
}

function count(value: number, width: number): string {
  return String(value).padStart(width);
}

function print(line: string): void {
  console.log(line);
}
