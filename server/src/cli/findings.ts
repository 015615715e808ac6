// The reporting policy of a run: comments, severities and a baseline are applied to every report, and useless comments and entries are
// listed at the end.
import path from "node:path";
import type { Level } from "../isolation/levels";
import type { SuppressedKind } from "../program/suppression";
import {
  oldBaselineText,
  uselessEntriesText,
  useBaseline,
  type BaselineUse,
} from "../service/findings/baselineUse";
import { judgeFindings } from "../service/findings/findings";
import type { CheckSummary } from "../service/cache/reports";
import {
  openParts,
  unusedSuppressions,
  type PlacedSuppression,
} from "../service/findings/suppressions";
import { readBaseline, type Baseline } from "../workspace/baseline";
import type { Project } from "../workspace/projects";
import type { FindingArguments } from "./findingArguments";
import type { CliIo } from "./io";
import { problemText, shortPath } from "./problemText";
import type { CommonArguments } from "./commonArguments";

export interface Findings {
  /** True if the command line replaces the configurations' baselines, or writes one. */
  readonly replacesBaselines: boolean;
  /** The check with every anomaly of its report marked. */
  judge(project: Project, level: Level, check: CheckSummary): CheckSummary;
  /** Sentences on useless comments and entries. */
  remarks(): readonly string[];
}

/** Reads the command line's baseline; undefined after printing why it cannot be used. */
export async function openFindings(
  args: CommonArguments & Partial<Pick<FindingArguments, "baseline" | "writeBaseline">>,
  io: CliIo,
): Promise<Findings | undefined> {
  let given: Baseline | undefined;
  if (args.baseline !== undefined) {
    const read = await readBaseline(path.resolve(io.cwd, args.baseline));
    if ("message" in read) {
      io.error(`isolens: ${problemText({ ...read, path: args.baseline })}\n`);
      return undefined;
    }
    given = read;
  }
  const uses = new Map<Baseline, Map<string, BaselineUse>>();
  const seen: Seen[] = [];
  return {
    replacesBaselines: args.baseline !== undefined || args.writeBaseline !== undefined,
    judge: (project, level, check) => {
      const baseline = given ?? project.baseline;
      const use = baseline && useAt(uses, baseline, level);
      const { report, used } = judgeFindings(check.report, {
        severities: project.configuration.severities,
        placed: check.suppressions,
        ...(use && { baseline: use }),
      });
      seen.push({ project, level, placed: check.suppressions, used, report, baseline });
      return { ...check, report };
    },
    remarks: () => [
      ...uselessComments(seen, io),
      ...[...uses.keys()].flatMap((each) => baselineRemark(each, oldBaselineText(each), io)),
      ...uselessEntries(seen, uses, io),
    ],
  };
}

interface Seen {
  readonly project: Project;
  readonly level: Level;
  readonly placed: readonly PlacedSuppression[];
  readonly used: ReadonlySet<SuppressedKind>;
  readonly report: CheckSummary["report"];
  readonly baseline: Baseline | undefined;
}

/** Each level matches the entries anew. */
function useAt(
  uses: Map<Baseline, Map<string, BaselineUse>>,
  baseline: Baseline,
  level: Level,
): BaselineUse {
  const levels = uses.get(baseline) ?? new Map<string, BaselineUse>();
  uses.set(baseline, levels);
  const use = levels.get(level.name) ?? useBaseline(baseline);
  levels.set(level.name, use);
  return use;
}

/** True for a complete run at the project's configured level, which can show that something is absent. */
function isTelling({ project, level, report }: Seen): boolean {
  return level.name === project.configuration.level.name && report.verdict !== "cancelled";
}

function byProject(seen: readonly Seen[]): readonly (readonly Seen[])[] {
  const groups = new Map<string, Seen[]>();
  for (const each of seen) {
    groups.set(each.project.folder, [...(groups.get(each.project.folder) ?? []), each]);
  }
  return [...groups.values()];
}

/** Comments that suppress nothing at any of the levels. */
function uselessComments(seen: readonly Seen[], io: CliIo): readonly string[] {
  return byProject(seen).flatMap((all) => {
    const telling = all.find(isTelling);
    if (telling === undefined) return [];
    const { project, placed, report } = telling;
    const places = new Set(all.flatMap(({ used }) => [...used].map(placeOf)));
    const used = new Set(
      placed.flatMap(({ kinds }) => kinds.filter((kind) => places.has(placeOf(kind)))),
    );
    return unusedSuppressions(placed, used, openParts(report)).map(({ message, source }) =>
      problemText({
        path: shortPath(path.join(project.folder, source.file), io.cwd),
        range: source.range,
        message,
      }),
    );
  });
}

/** Cached answers have their own kind objects, so comments are identified by place. */
function placeOf({ name, source }: SuppressedKind): string {
  return JSON.stringify([name, source]);
}

/** Baselines with unmatched entries, if all projects were checked as configured. */
function uselessEntries(
  seen: readonly Seen[],
  uses: ReadonlyMap<Baseline, ReadonlyMap<string, BaselineUse>>,
  io: CliIo,
): readonly string[] {
  return [...uses].flatMap(([baseline, levels]) => {
    const own = seen.filter((each) => each.baseline === baseline);
    if (byProject(own).some((all) => !all.some(isTelling))) return [];
    const checks = own
      .filter(isTelling)
      .map(({ project, report }) => ({ report, isWhole: project.context.length === 0 }));
    const text = uselessEntriesText(baseline, [...levels.values()], checks);
    return baselineRemark(baseline, text, io);
  });
}

function baselineRemark(
  { path: file }: Baseline,
  text: string | undefined,
  io: CliIo,
): readonly string[] {
  return text === undefined ? [] : [`${shortPath(file, io.cwd)}: ${text}`];
}
