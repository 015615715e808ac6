// Places in the application for findings in recorded statements: a comment `@isolens at FILE:LINE` before a statement or transaction names
// its place.
import path from "node:path";
import { scanFile } from "../../frontend/sql/scanFile";
import type { CycleEdge, LevelReport, Step } from "../../protocol/report";
import type { Range } from "../../protocol/source";
import { relativePath } from "../../workspace/listFolder";
import type { Project } from "../../workspace/projects";
import { readTextFileNow } from "../../workspace/textFile";

/**
 * The report with application places, its files relative to `base`. Parts without such a comment, or whose file is missing, keep their
 * place. Undefined if there are no such comments. Linear in the size of the files.
 */
export function inApplication(
  report: LevelReport,
  project: ProjectFiles,
  base = project.folder,
): LevelReport | undefined {
  const places = placesOf(project);
  if (places.size === 0) return undefined;
  const named = (absolute: string): string => relativePath(base, absolute);
  const moved: Move = (each) => {
    if (each.file === undefined || each.file === "" || each.range === undefined) return each;
    const own = nearest(places.get(each.file), each.range.start.line);
    const place = own && placeIn(project, each.file, own);
    return place
      ? { ...each, file: named(place.absolute), range: place.range }
      : { ...each, file: named(path.resolve(project.folder, each.file)) };
  };
  return withPlaces(report, moved);
}

/** Replaces the place of an item and keeps the rest. */
type Move = <T extends { readonly file?: string; readonly range?: Range }>(each: T) => T;

/** The report with its files made relative to another folder. Linear in the report. */
export function namedFrom(report: LevelReport, folder: string, base: string): LevelReport {
  if (folder === base) return report;
  return withPlaces(report, (each) =>
    each.file === undefined || each.file === ""
      ? each
      : { ...each, file: relativePath(base, path.resolve(folder, each.file)) },
  );
}

function withPlaces(report: LevelReport, moved: Move): LevelReport {
  const step = (each: Step): Step => ({
    ...moved(each),
    ...(each.through && { through: each.through.map(moved) }),
  });
  const edge = (each: CycleEdge): CycleEdge => ({
    ...each,
    from: moved(each.from),
    to: moved(each.to),
  });
  return {
    ...report,
    transactions: report.transactions.map(moved),
    unknown: report.unknown.map(moved),
    assumptions: report.assumptions.map(moved),
    ...(report.files && { files: report.files.map(moved) }),
    anomalies: report.anomalies.map((anomaly) => ({
      ...anomaly,
      steps: anomaly.steps.map(step),
      cycle: anomaly.cycle.map(edge),
      ...(anomaly.dirtyRead && { dirtyRead: edge(anomaly.dirtyRead) }),
      ...(anomaly.leftOut && { leftOut: anomaly.leftOut.map(moved) }),
      ...(anomaly.breaches && { breaches: anomaly.breaches.map(moved) }),
      ...(anomaly.suppressed && { suppressed: moved(anomaly.suppressed) }),
    })),
    ...(report.causes && {
      causes: report.causes.map((cause) => ({
        ...cause,
        ...(cause.read && { read: moved(cause.read) }),
        uses: cause.uses.map(moved),
      })),
    }),
    ...(report.proof && {
      proof: {
        ...report.proof,
        obstacles: report.proof.obstacles.map((obstacle) => ({
          ...moved(obstacle),
          dependencies: obstacle.dependencies.map((each) => ({
            ...each,
            from: moved(each.from),
            to: moved(each.to),
          })),
        })),
      },
    }),
  };
}

/** The application place of a line (from zero) of a file; undefined if no comment names an existing one. */
export function placeInApplication(
  project: ProjectFiles,
  file: string,
  line: number,
): { readonly absolute: string; readonly range: Range } | undefined {
  const own = nearest(placesOf(project).get(file), line);
  return own && placeIn(project, file, own);
}

export type ProjectFiles = Pick<Project, "folder" | "files"> & {
  readonly configuration: Pick<Project["configuration"], "dialect">;
};

/** A comment: the line of the text that follows it, and the place that it names. */
interface Mark {
  readonly line: number;
  readonly file: string;
  /** One-based line. */
  readonly at: number;
}

/** The comments of each file, in order; files without any are absent. */
function placesOf({ files, configuration }: ProjectFiles): ReadonlyMap<string, readonly Mark[]> {
  const found = new Map<string, readonly Mark[]>();
  for (const { file, text } of files) {
    if (!text.includes("@isolens at")) continue;
    const { places } = scanFile(file, text, configuration.dialect);
    const marks = places.flatMap(({ line, place }): readonly Mark[] => {
      const [, name, at] = /^(.+):(\d+)$/u.exec(place) ?? [];
      return name === undefined ? [] : [{ line, file: name, at: Number(at) }];
    });
    if (marks.length > 0) found.set(file, marks);
  }
  return found;
}

/** The last comment before a line. */
function nearest(marks: readonly Mark[] | undefined, line: number): Mark | undefined {
  return marks?.findLast((mark) => mark.line <= line);
}

/** The line in the named file, looked up in this folder and its ancestors. */
function placeIn(
  { folder }: ProjectFiles,
  file: string,
  { file: name, at }: Mark,
): { readonly absolute: string; readonly range: Range } | undefined {
  for (let above = path.dirname(path.resolve(folder, file)); ; above = path.dirname(above)) {
    const absolute = path.resolve(above, name);
    const read = readTextFileNow(absolute);
    if (read.ok) {
      const written = read.text.split(/\r?\n/)[at - 1];
      if (written === undefined) return undefined;
      const line = at - 1;
      return {
        absolute,
        range: {
          start: { line, character: written.length - written.trimStart().length },
          end: { line, character: written.trimEnd().length },
        },
      };
    }
    if (above === path.dirname(above)) return undefined;
  }
}
