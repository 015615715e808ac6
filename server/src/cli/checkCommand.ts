// `isolens check`: reports on every level that was asked for.
import path from "node:path";
import type { Verdict } from "../protocol/report";
import type { CheckArguments } from "./arguments";
import { paintFor } from "./io";
import type { CliIo } from "./io";
import { jsonReport } from "./reporters/json";
import { remarkText, textReport } from "./reporters/text";
import { EXIT, runChecks } from "./run";
import type { CheckSurroundings, ProjectCheck } from "./run";

/** Runs the command and returns the exit code. */
export async function checkCommand(
  args: CheckArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const all: ProjectCheck[] = [];
  const failed = await runChecks(args, io, surroundings, (done) => {
    if (args.format === "text")
      io.out(`${all.length > 0 ? "\n" : ""}${sectionText(done, args, io)}`);
    else remarkAside(done, io, all);
    all.push(done);
  });
  if (failed !== undefined) return failed;
  if (args.format === "json") io.out(jsonReport(all.map((each) => jsonInput(each, args))));
  return exitCode(all.map((each) => each.check.report.verdict));
}

/** One anomaly anywhere weighs more than anything undecided. */
export function exitCode(verdicts: readonly Verdict[]): number {
  if (verdicts.includes("anomaly")) return EXIT.anomaly;
  return verdicts.every((verdict) => verdict === "safe") ? EXIT.clean : EXIT.unknown;
}

/** JSON has no place for remarks; people who look at the terminal still see them, once per project. */
function remarkAside(done: ProjectCheck, io: CliIo, before: readonly ProjectCheck[]): void {
  if (before.some((each) => each.project === done.project)) return;
  for (const line of done.check.program.notes.flatMap(remarkText)) io.error(`${line}\n`);
}

function jsonInput({ check }: ProjectCheck, args: CheckArguments) {
  const { report } = check;
  return args.timings ? { report, timings: { ...check.timings, ...check.counters } } : { report };
}

function sectionText(done: ProjectCheck, args: CheckArguments, io: CliIo): string {
  const { project, check } = done;
  const paint = paintFor(io);
  const folder = path.relative(io.cwd, project.folder).split(path.sep).join("/");
  const heading =
    folder === "" || (args.paths.length === 1 && args.paths.includes(folder))
      ? ""
      : `${paint.strong(`In ${folder}`)}\n\n`;
  const text = textReport(
    {
      report: check.report,
      notes: check.program.notes,
      again: againText(args, done.levelFile ?? check.report.level),
      files: project.files.length,
    },
    { paint, columns: io.columns, keyOf: keyOf(done) },
  );
  return heading + text + (args.timings ? timingsText(done) : "");
}

/** The primary key of each table, to name rows by. */
export function keyOf({ check }: ProjectCheck): (table: string) => readonly string[] | undefined {
  const keys = new Map(check.program.schema.tables.map((each) => [each.name, each.primaryKey]));
  return (table) => keys.get(table);
}

function againText(args: CheckArguments, level: string): string {
  const quoted = (text: string): string => (/^[\w./:@%+=-]+$/u.test(text) ? text : `"${text}"`);
  const asked = args.levels.length > 0 ? ` --level ${quoted(level)}` : "";
  const configuration =
    args.configurationFile === undefined ? "" : ` --config ${quoted(args.configurationFile)}`;
  return `${args.paths.map(quoted).join(" ")}${asked}${configuration}`;
}

function timingsText({ check }: ProjectCheck): string {
  const { firstAnomaly, whole } = check.timings;
  const { units, cached, queries } = check.counters;
  const first =
    firstAnomaly === undefined
      ? ""
      : `first anomaly after ${String(Math.round(firstAnomaly))} ms, `;
  return (
    `Time: ${first}all after ${String(Math.round(whole))} ms; ` +
    `${String(units)} units, ${String(cached)} of them remembered, ${String(queries)} solver queries.\n`
  );
}
