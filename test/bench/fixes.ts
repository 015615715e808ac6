// `npm run fixes`: for every finding of the example programs (or of the folders that are named) the fixes that were
// verified, by kind, with what they cost, or why there is none; and the share of findings that an edit fixes.
import { readdirSync } from "node:fs";
import path from "node:path";
import type { FixReport } from "../../server/src/protocol/fixes";
import type { Anomaly } from "../../server/src/protocol/report";
import { isTold } from "../../server/src/protocol/report";
import { judgeFindings } from "../../server/src/service/findings/findings";
import { loadProjects } from "../../server/src/workspace/projects";
import { openTestSession } from "../unit/service/testSession";

const ROOT = path.join(__dirname, "..", "..");
const FOLDERS = ["test/apps", "test/fixes"];

interface Line {
  readonly program: string;
  readonly anomaly: Anomaly;
  readonly report: FixReport;
  readonly milliseconds: number;
}

async function main(asked: readonly string[]): Promise<void> {
  const isWordy = asked.includes("--edits");
  const named = asked.filter((each) => !each.startsWith("--"));
  const folders = named.length > 0 ? named : FOLDERS.flatMap(foldersIn);
  const session = await openTestSession();
  const lines: Line[] = [];
  try {
    for (const folder of folders) {
      const { projects } = await loadProjects([path.resolve(ROOT, folder)], { cwd: ROOT });
      for (const project of projects) {
        const signal = AbortSignal.timeout(1_800_000);
        const check = await session.checkWorkspace({ project }, signal);
        const { severities } = project.configuration;
        const policy = { severities, placed: check.suppressions };
        const { anomalies } = judgeFindings(check.report, policy).report;
        for (const anomaly of anomalies.filter((each) => isTold(each))) {
          const since = performance.now();
          const report = await session.fixes({ project, anomaly }, signal);
          const line = {
            program: folder,
            anomaly,
            report,
            milliseconds: performance.now() - since,
          };
          lines.push(line);
          console.log(lineText(line));
          if (isWordy) console.log(detailText(line));
        }
      }
    }
  } finally {
    await session.dispose();
  }
  console.log(`\n${summaryText(lines)}`);
}

function foldersIn(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder))
    .sort()
    .map((name) => `${folder}/${name}`);
}

function lineText({ program, anomaly, report, milliseconds }: Line): string {
  const name = `${path.basename(program)}: ${anomaly.kind} ${anomaly.transactions.join(", ")}`;
  const kinds = report.fixes.map(({ kind }) => kind).join(", ");
  const why = report.advice.map(({ kind, reason }) => `${kind}: ${reason}`).join("; ");
  const told = kinds === "" ? `none (${why || "nothing was tried"})` : kinds;
  return `${name.padEnd(72)} ${told} [${String(Math.round(milliseconds))} ms]`;
}

function detailText({ report }: Line): string {
  const fixes = report.fixes.flatMap(({ kind, title, now, costs, edits, alsoRemoves }) => [
    `    ${kind}: ${title}`,
    `      now: ${now}`,
    ...costs.map((cost) => `      cost: ${cost}`),
    `      also removes ${String(alsoRemoves.length)}`,
    ...edits.map(
      ({ file, range, newText }) =>
        `      ${file}:${String(range.start.line + 1)} ${JSON.stringify(newText)}`,
    ),
  ]);
  const advice = report.advice.map(({ kind, reason }) => `    no ${kind}: ${reason}`);
  return [...fixes, ...advice].join("\n");
}

function summaryText(lines: readonly Line[]): string {
  const fixed = lines.filter(({ report }) => report.fixes.length > 0).length;
  const kinds = new Map<string, number>();
  for (const { kind } of lines.flatMap(({ report }) => report.fixes))
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const times = lines.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  const median = Math.round(times[Math.floor(times.length / 2)] ?? 0);
  const share = lines.length === 0 ? 0 : Math.round((100 * fixed) / lines.length);
  return [
    `${String(fixed)} of ${String(lines.length)} findings (${String(share)} %) are fixed by a verified edit`,
    ...[...kinds].map(([kind, count]) => `  ${kind}: ${String(count)}`),
    `median time for all kinds: ${String(median)} ms`,
  ].join("\n");
}

void main(process.argv.slice(2));
