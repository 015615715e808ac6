// `npm run bench:repos -- FOLDER...`: how much of the transactions of real repositories is read. For each folder: how
// long reading takes and which files take longest, which calls that open a transaction were found, how far statements
// are understood, and the reasons why they are not. `--sample SEED,...` draws exact statements, to compare with the source;
// `--whole` prints all of their transactions beside them. `--kept` keeps what was read in a folder, where the next run finds it.
//
//   npm run bench:repos -- FOLDER... [--sample SEED,...] [--whole] [--count N] [--reasons N] [--slowest N] [--calls REGEX]
//     [--kept FOLDER]
import process from "node:process";
import { parseArgs } from "node:util";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../server/src/engine/treeSitter";
import type { Program, Transaction } from "../../server/src/program/program";
import type { Command, Statement } from "../../server/src/program/statement";
import type { SourceRange } from "../../server/src/protocol/source";
import { createProjectReader } from "../../server/src/service/readProject";
import { openReadings } from "../../server/src/service/cache/readings";
import { statementPrecision } from "../../server/src/service/statements";
import { loadProjects, type Project } from "../../server/src/workspace/projects";
import { counted, randomFrom } from "./randomRun";
import { statementText } from "./statementText";
import { transactionText } from "./transactionText";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    count: { type: "string", default: "15" },
    whole: { type: "boolean", default: false },
    reasons: { type: "string", default: "20" },
    kept: { type: "string" },
    /** Each file is read once more for it; 0 leaves that out. */
    slowest: { type: "string", default: "5" },
    /** Calls that open a transaction: Prisma's and TypeORM's calls, and those of builders. */
    calls: { type: "string", default: String.raw`\.?\$?\btransaction(?:\s*<[^;{}]*?>)?\s*\(` },
  },
});

async function main(): Promise<void> {
  const parsers = [await loadPgParser(), await loadCodeParsers()] as const;
  for (const folder of positionals) {
    const { projects } = await loadProjects(["."], { cwd: folder });
    for (const project of projects) if (project.code) measure(folder, project, parsers);
  }
}

type Parsers = readonly [
  Awaited<ReturnType<typeof loadPgParser>>,
  Awaited<ReturnType<typeof loadCodeParsers>>,
];

function measure(folder: string, project: Project, [pg, code]: Parsers): void {
  const readings =
    options.kept === undefined ? undefined : openReadings({ folder: options.kept, build: "bench" });
  const reader = createProjectReader({ pg }, code, readings);
  const read = stopwatch();
  const program = reader.read(project);
  const time = read();
  for (const _ of reader.keep(program, project) ?? []);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  print(`${folder}: ${String(project.files.length)} files may use a database`);
  print(`  read in ${time}; peak memory of this process ${String(megabytes)} MB`);
  if (Number(options.slowest) > 0) printSlowest(project, [pg, code]);
  printCalls(project, program);
  const inside = program.transactions.flatMap((each) => insideOf(each));
  printLabels("statements in transactions", inside);
  printLabels("the transactions that open one", wholes(program));
  printReasons(program, inside);
  for (const seed of options.sample?.split(",") ?? []) printSample(inside, Number(seed));
}

/** Each file by itself, with a reader that knows nothing yet: parsing and evaluation of it and of what it leads to. */
function printSlowest(project: Project, [pg, code]: Parsers): void {
  const times = project.files.map((file) => {
    const before = performance.now();
    createProjectReader({ pg }, code).read({ ...project, files: [file], context: [] });
    return { file: file.file, time: performance.now() - before };
  });
  times.sort((a, b) => b.time - a.time);
  const shown = times
    .slice(0, Number(options.slowest))
    .map(({ file, time }) => `    ${String(Math.round(time)).padStart(5)} ms  ${file}`);
  print(`  slowest files, each read alone:\n${shown.join("\n")}`);
}

/** A statement and the transaction that it is in. */
interface Inside {
  readonly transaction: Transaction;
  readonly statement: Statement;
}

/** The statements of a transaction that run between BEGIN and COMMIT. */
function insideOf(transaction: Transaction): readonly Inside[] {
  const found: Inside[] = [];
  visit(transaction.body, transaction.boundary === "explicit", (command, inside) => {
    if (command.kind !== "statement" || !inside) return;
    found.push({ transaction, statement: command.statement });
  });
  return found;
}

function visit(
  command: Command,
  inside: boolean,
  see: (command: Command, inside: boolean) => void,
): void {
  see(command, inside);
  switch (command.kind) {
    case "sequence":
      for (const each of command.commands) visit(each, inside, see);
      return;
    case "if":
      visit(command.then, inside, see);
      if (command.otherwise) visit(command.otherwise, inside, see);
      return;
    case "loop":
      visit(command.body, inside, see);
      return;
    case "try":
      visit(command.body, inside, see);
      visit(command.handler, inside, see);
      return;
    case "atomic":
      visit(command.body, true, see);
      return;
    default:
      return;
  }
}

/** The calls in the text that look as if they opened a transaction, and whether one is known there. */
function printCalls(project: Project, program: Program): void {
  const places = new Map<string, SourceRange["range"][]>();
  const add = ({ file, range }: SourceRange): void => {
    places.set(file, [...(places.get(file) ?? []), range]);
  };
  for (const transaction of program.transactions) {
    visit(transaction.body, false, (command, inside) => {
      if (command.kind === "atomic") add(command.source);
      // Where a helper opens it, what runs inside stands with its caller.
      if (command.kind === "statement" && inside) {
        const { source, through = [] } = command.statement;
        for (const each of [source, ...through.map((call) => call.source)]) add(each);
      }
    });
    // A function that is one transaction has no command for it: its statements tell.
    if (transaction.boundary !== "explicit") continue;
    add(transaction.source);
    for (const { statement } of insideOf(transaction)) add(statement.source);
  }
  const missed: string[] = [];
  let count = 0;
  for (const { file, text } of project.files) {
    const code = withoutComments(text);
    for (const match of code.matchAll(new RegExp(options.calls, "gu"))) {
      const first = lineAt(code, match.index);
      const last = lineAt(code, endOfCall(code, match.index + match[0].length));
      count += 1;
      const isFound = (places.get(file) ?? []).some(
        ({ start, end }) =>
          (start.line >= first && end.line <= last) || (start.line <= first && end.line >= last),
      );
      if (!isFound) missed.push(`    ${file}:${String(first + 1)}`);
    }
  }
  print(
    `  calls that look like transactions: ${String(count)}, not known ${String(missed.length)}`,
  );
  for (const each of missed) print(each);
}

/** The text with spaces for comments. Strings that hold what looks like one are rare enough. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/[^\n]*/gu, (comment) =>
    comment.replaceAll(/[^\n]/gu, " "),
  );
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

/** Where the parenthesis closes that was opened right before `from`. */
function endOfCall(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

/** Transactions with all their statements. */
function wholes(program: Program): readonly Inside[] {
  return program.transactions.flatMap((transaction) => {
    const inside = insideOf(transaction);
    const worst = inside.find(({ statement }) => statementPrecision(statement) !== "exact");
    return (worst ?? inside[0]) ? [worst ?? inside[0]].filter((each) => each !== undefined) : [];
  });
}

function printLabels(title: string, all: readonly Inside[]): void {
  const labels = counted(all.map(({ statement }) => statementPrecision(statement)));
  const exact = labels.find(([label]) => label === "exact")?.[1] ?? 0;
  const share = all.length === 0 ? "-" : String(Math.round((100 * exact) / all.length));
  const list = labels.map(([label, count]) => `${String(count)} ${label}`).join(", ");
  print(`  ${title}: ${String(all.length)}, ${share}% exact (${list})`);
}

function printReasons(program: Program, inside: readonly Inside[]): void {
  const reasons = [
    ...inside.flatMap(({ statement }) => statement.taint),
    ...program.transactions.flatMap(({ taint }) => taint),
  ].map(({ effect, reason }) => `${effect}: ${reason}`);
  print("  reasons of losses:");
  for (const [reason, count] of counted(reasons).slice(0, Number(options.reasons))) {
    print(`    ${String(count).padStart(4)}  ${reason}`);
  }
}

/** Statements drawn at random from those that are exact, one of each place in the text. */
function printSample(inside: readonly Inside[], seed: number): void {
  const places = new Map<string, Inside>();
  for (const each of inside) {
    if (statementPrecision(each.statement) !== "exact") continue;
    const { file, range } = each.statement.source;
    const key = `${file}:${String(range.start.line)}:${each.statement.kind}`;
    if (!places.has(key)) places.set(key, each);
  }
  const left = [...places.values()];
  const random = randomFrom(seed);
  print(`  of ${String(left.length)} exact statements, drawn with seed ${String(seed)}:`);
  for (let drawn = 0; drawn < Number(options.count) && left.length > 0; drawn += 1) {
    const [one] = left.splice(Math.floor(random() * left.length), 1);
    if (!one) break;
    const { file, range } = one.statement.source;
    print(
      `  [${String(drawn + 1)}] ${file}:${String(range.start.line + 1)} in ${one.transaction.name}`,
    );
    print(`      ${statementText(one.statement)}`);
    if (!options.whole) continue;
    for (const line of transactionText(one.transaction, one.statement)) print(`        | ${line}`);
  }
}

/** Milliseconds since the start: of the clock, and of the processor. */
function stopwatch(): () => string {
  const start = performance.now();
  const usage = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(usage);
    const clock = Math.round(performance.now() - start);
    return `${String(clock)} ms (${String(Math.round((user + system) / 1000))} ms of the processor)`;
  };
}

function print(line: string): void {
  console.log(line);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
