// `isolens fix`: verified fixes of an anomaly as diffs; the cheapest is written to the files.
import path from "node:path";
import type { TextEdit } from "../analysis/repair/candidate";
import { editedText } from "../analysis/repair/candidate";
import { indexLines, offsetsOf } from "../frontend/sql/text/lines";
import type { Fix, FixReport } from "../protocol/fixes";
import type { FileId } from "../protocol/source";
import { editableTexts } from "../service/fixes";
import { openSession } from "../service/session";
import { writeTexts } from "../workspace/writeTexts";
import { chooseAnomaly, type ChosenAnomaly } from "./anomalyChoice";
import { EXIT } from "./exit";
import type { FixArguments } from "./fixArguments";
import { paintFor, type CliIo } from "./io";
import { shortPath } from "./problemText";
import { fixText, type FileChange } from "./reporters/fixText";
import type { CheckSurroundings } from "./run";
import { TOOL } from "./version";

/** Runs the command and returns the exit code: 0 with a fix, 2 if none could be verified, 3 if it was not written. */
export async function fixCommand(
  args: FixArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const chosen = await chooseAnomaly(args, io, surroundings);
  if (typeof chosen === "number") return chosen;
  const report = await fixesOf(args, io, chosen, surroundings);
  const [fix] = report.fixes;
  const changes = report.fixes.map((each) => changesOf(chosen, each));
  if (args.format === "json")
    io.out(`${JSON.stringify({ formatVersion: 1, ...report }, null, 2)}\n`);
  else {
    const style = { paint: paintFor(io), columns: io.columns };
    const shown = report.fixes.map((each, at) => ({ fix: each, changes: changes[at] ?? [] }));
    io.out(`${fixText(chosen.anomaly, report, shown, style)}\n`);
  }
  if (!fix) return EXIT.unknown;
  if (args.isDryRun) return EXIT.clean;
  const problem = writeTexts(changes[0] ?? []);
  if (problem) {
    io.error(`isolens: ${shortPath(problem.path, io.cwd)}: not written: ${problem.reason}\n`);
    return EXIT.usage;
  }
  for (const each of changes[0] ?? [])
    io.error(`isolens: written: ${shortPath(each.path, io.cwd)}\n`);
  return EXIT.clean;
}

async function fixesOf(
  args: FixArguments,
  io: CliIo,
  { done, anomaly }: ChosenAnomaly,
  { signal, openSession: open = openSession, cache: everyone }: CheckSurroundings,
): Promise<FixReport> {
  const cache = args.cache === false ? undefined : everyone;
  const session = await open({
    tool: TOOL,
    ...(cache && { cache }),
    ...(args.nodePath !== undefined && { nodePath: path.resolve(io.cwd, args.nodePath) }),
  });
  io.status?.("Trying fixes");
  try {
    return await session.fixes(
      {
        project: done.project,
        level: done.level,
        anomaly,
        isOneEnough: !args.isEveryKind,
        ...(args.kind && { kinds: [args.kind] }),
        ...(args.maxTransactions !== undefined && { maxTransactions: args.maxTransactions }),
        ...(args.unroll !== undefined && { unroll: args.unroll }),
        ...(args.prove === true && { prove: true }),
        ...(args.budget !== undefined && { budget: args.budget }),
      },
      signal,
    );
  } finally {
    io.status?.("");
    await session.dispose();
  }
}

function changesOf({ done: { project } }: ChosenAnomaly, fix: Fix): readonly FileChange[] {
  const created = fix.edits.flatMap(({ file, newText, creates }): FileChange[] =>
    creates
      ? [{ file, path: path.resolve(project.folder, file), before: undefined, after: newText }]
      : [],
  );
  const changed = editableTexts(project).flatMap(({ file, text }): FileChange[] => {
    const edits = fix.edits
      .filter((each) => each.file === file)
      .map((each) => textEdit(file, text, each));
    if (edits.length === 0) return [];
    const after = editedText(text, edits);
    return [{ file, path: path.resolve(project.folder, file), before: text, after }];
  });
  return [...changed, ...created];
}

function textEdit(file: FileId, text: string, { range, newText }: Fix["edits"][number]): TextEdit {
  return { file, ...offsetsOf(indexLines(file, text), range), newText };
}
