// `isolens check`: reports on every requested level.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { undecidedCount } from "../protocol/report";
import type { Anomaly, LevelReport, Shown, Verdict } from "../protocol/report";
import { visible } from "../protocol/controlCharacters";
import { joinedEntries } from "../service/findings/baselineUse";
import { inApplication, namedFrom } from "../service/findings/applicationPlaces";
import { coverageOfFiles } from "../service/verdict/coverage";
import { baselineText, readBaseline } from "../workspace/baseline";
import { fileErrorText, readTextFileNow } from "../workspace/textFile";
import type { FailOn } from "./findingArguments";
import { paintFor } from "./io";
import { againText } from "./reproduceLine";
import type { CliIo } from "./io";
import type { LineOf } from "./reporters/codeFrame";
import { githubReport } from "./reporters/github";
import { jsonReport } from "./reporters/json";
import { levelTable } from "./reporters/levelTable";
import type { PlacedReport } from "./reporters/placedReport";
import { sarifReport } from "./reporters/sarif";
import { remarkText, textReport } from "./reporters/text";
import { EXIT } from "./exit";
import { runChecks } from "./run";
import type { CheckSurroundings, ProjectCheck } from "./run";
import { VERSION } from "./version";
import type { CheckArguments } from "./commonArguments";

/** Runs the command and returns the exit code. */
export async function checkCommand(
  args: CheckArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const all: ProjectCheck[] = [];
  const report = openReport(args, io);
  const failed = await runChecks(args, io, surroundings, (plain) => {
    const done = args.coverage ? withCoverage(plain) : plain;
    if (args.format === "text")
      report.out(`${all.length > 0 ? "\n" : ""}${sectionText(done, args, report.io)}`);
    else remarkAside(done, io, all);
    all.push(done);
  });
  if (failed !== undefined) return failed;
  switch (args.format) {
    case "text":
      report.out(levelTables(all, args, report.io));
      break;
    case "json":
      report.out(jsonReport(all.map((each) => jsonInput(each, args))));
      break;
    case "sarif":
      report.out(sarifText(all, args, io));
      break;
    case "github":
      report.out(githubReport(placedReports(all, io), shownOf(args)));
      break;
  }
  const written =
    (await report.close()) ??
    (args.sarif === undefined
      ? undefined
      : await writeOrTell(args.sarif, visible(sarifText(all, args, io)), io)) ??
    (await writeBaseline(args, io, all));
  if (written !== undefined) return written;
  const reports = all.map((each) => each.check.report);
  return args.writeBaseline === undefined ? findingsExitCode(reports, args.failOn) : EXIT.clean;
}

/** The exit code: an anomaly anywhere takes precedence over anything undecided. */
export function exitCode(verdicts: readonly Verdict[]): number {
  if (verdicts.includes("anomaly")) return EXIT.anomaly;
  return verdicts.every((verdict) => verdict === "safe") ? EXIT.clean : EXIT.unknown;
}

/** The exit code by reported findings: those count that are errors or warnings, or whose kind was named, unless suppressed. */
export function findingsExitCode(
  reports: readonly LevelReport[],
  { anomalies, unknown }: FailOn,
): number {
  const fails = (anomaly: Anomaly): boolean => {
    if (anomaly.status !== "confirmed" || anomaly.suppressed || anomaly.reportedAs === "off")
      return false;
    if (anomalies !== "all") return anomalies.includes(anomaly.kind);
    return anomaly.reportedAs !== "information" && anomaly.reportedAs !== "hint";
  };
  if (reports.some((report) => report.anomalies.some(fails))) return EXIT.anomaly;
  const asksAnything = unknown || anomalies.length > 0;
  if (asksAnything && reports.some(({ verdict }) => verdict === "cancelled")) return EXIT.unknown;
  return unknown && reports.some((report) => report.unknown.length > 0) ? EXIT.unknown : EXIT.clean;
}

function shownOf({ all, showSuppressed }: CheckArguments): Shown {
  return { all, suppressed: showSuppressed };
}

function sarifText(all: readonly ProjectCheck[], args: CheckArguments, io: CliIo): string {
  return sarifReport(placedReports(all, io), { shown: shownOf(args), version: VERSION });
}

function withCoverage(done: ProjectCheck): ProjectCheck {
  const { check } = done;
  const files = coverageOfFiles(check.files, check.report);
  return { ...done, check: { ...check, report: { ...check.report, files } } };
}

/** Reports with the folder of their files, relative to the working directory. */
function placedReports(all: readonly ProjectCheck[], io: CliIo): readonly PlacedReport[] {
  return all.map(({ project, check }) => ({
    report: inApplication(check.report, project) ?? check.report,
    folder: path.relative(io.cwd, project.folder).split(path.sep).join("/"),
  }));
}

/** For each project that was checked at several levels, what each lets through. */
function levelTables(all: readonly ProjectCheck[], args: CheckArguments, io: CliIo): string {
  const projects = [...new Set(all.map(({ project }) => project))];
  return projects
    .map((project) => {
      const reports = all
        .filter((each) => each.project === project)
        .map(({ check }) => check.report);
      const style = { paint: paintFor(io), columns: io.columns };
      return levelTable(reports, style, shownOf(args)).map((line) => `${line}\n`);
    })
    .map((lines) => (lines.length === 0 ? "" : `\n${lines.join("")}`))
    .join("");
}

interface ReportSink {
  readonly io: CliIo;
  out(text: string): void;
  /** Writes the file, if there is one; returns an exit code after printing why it could not. */
  close(): Promise<number | undefined>;
}

/** The destination of the report: standard output, or the `--output` file, without colours. */
function openReport({ output }: CheckArguments, io: CliIo): ReportSink {
  if (output === undefined) {
    return { io, out: io.out, close: () => Promise.resolve(undefined) };
  }
  const parts: string[] = [];
  return {
    io: { ...io, colours: false },
    out: (text) => {
      parts.push(text);
    },
    close: () => writeOrTell(output, visible(parts.join("")), io),
  };
}

/** Writes the reported findings as a baseline; returns an exit code after printing why it could not. */
async function writeBaseline(
  { writeBaseline: file }: CheckArguments,
  io: CliIo,
  all: readonly ProjectCheck[],
): Promise<number | undefined> {
  if (file === undefined) return undefined;
  const reports = all.map(({ check }) => check.report);
  if (reports.some(({ verdict }) => verdict === "cancelled")) {
    io.error(`isolens: ${file} is not written: the check was cancelled\n`);
    return EXIT.unknown;
  }
  const before = await readBaseline(path.resolve(io.cwd, file));
  const levels = new Map<string, Anomaly[]>();
  for (const { level, anomalies } of reports) {
    const told = anomalies.filter(
      (each) => each.status === "confirmed" && !each.suppressed && each.reportedAs !== "off",
    );
    levels.set(level, [...(levels.get(level) ?? []), ...told]);
  }
  const entries = joinedEntries([...levels.values()], "entries" in before ? before : undefined);
  const failed = await writeOrTell(file, baselineText(entries), io);
  if (failed !== undefined) return failed;
  const open = reports.reduce((sum, { unknown }) => sum + undecidedCount(unknown), 0);
  const count = entries.reduce((sum, each) => sum + each.count, 0);
  const undecided =
    open === 0 ? "" : `; ${String(open)} undecided questions are not part of a baseline`;
  io.error(
    `isolens: ${file} written with ${count === 1 ? "1 finding" : `${String(count)} findings`}${undecided}\n`,
  );
  return undefined;
}

async function writeOrTell(file: string, text: string, io: CliIo): Promise<number | undefined> {
  try {
    await writeFile(path.resolve(io.cwd, file), text);
    return undefined;
  } catch (error) {
    io.error(`isolens: ${file} cannot be written: ${fileErrorText(error)}\n`);
    return EXIT.usage;
  }
}

/** JSON has no place for remarks; they are printed to the terminal, once per project. */
function remarkAside(done: ProjectCheck, io: CliIo, before: readonly ProjectCheck[]): void {
  if (before.some((each) => each.project === done.project)) return;
  for (const line of done.check.program.notes.flatMap(remarkText)) io.error(`${line}\n`);
}

function jsonInput({ check, project }: ProjectCheck, args: CheckArguments) {
  const report = inApplication(check.report, project) ?? check.report;
  return args.timings ? { report, timings: { ...check.timings, ...check.counters } } : { report };
}

function sectionText(done: ProjectCheck, args: CheckArguments, io: CliIo): string {
  const { project, check } = done;
  const paint = paintFor(io);
  const folder = path.relative(io.cwd, project.folder).split(path.sep).join("/");
  const recorded = inApplication(check.report, project, io.cwd);
  // Terminals open places relative to the working directory.
  const report = recorded ?? namedFrom(check.report, project.folder, io.cwd);
  const heading =
    recorded !== undefined ||
    folder === "" ||
    (args.paths.length === 1 && args.paths.includes(folder))
      ? ""
      : `${paint.strong(`In ${folder}`)}\n\n`;
  const text = textReport(
    {
      report,
      notes: check.program.notes,
      folder,
      again: againText(args, done.levelFile ?? check.report.level),
      files: project.files.length,
      shown: shownOf(args),
    },
    {
      paint,
      columns: io.columns,
      keyOf: keyOf(done),
      lineOf: lineOf(io.cwd),
      again: againText(args, done.levelFile ?? check.report.level),
    },
  );
  return heading + text + (args.timings ? timingsText(done) : "");
}

/** The primary key of each table, to name rows. */
export function keyOf({ check }: ProjectCheck): (table: string) => readonly string[] | undefined {
  const keys = new Map(check.program.schema.tables.map((each) => [each.name, each.primaryKey]));
  return (table) => keys.get(table);
}

/** Current lines of the checked files; each file is read once. */
function lineOf(folder: string): LineOf {
  const files = new Map<string, readonly string[]>();
  return (file, line) => {
    const known = files.get(file) ?? linesOf(path.join(folder, file));
    files.set(file, known);
    return known[line];
  };
}

/** The lines of a file; empty if it can no longer be read, so that its findings are shown without code. */
function linesOf(absolute: string): readonly string[] {
  const read = readTextFileNow(absolute);
  return read.ok ? read.text.split(/\r?\n/u) : [];
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
