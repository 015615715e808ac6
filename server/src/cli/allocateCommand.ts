// `isolens allocate`: the weakest level per transaction at which the program is serializable.
import path from "node:path";
import type { Allocation, LevelsByTransaction } from "../protocol/allocation";
import { openSession } from "../service/session";
import { loadProjects } from "../workspace/projects";
import { EXIT } from "./exit";
import { paintFor, type CliIo } from "./io";
import { problemText, shortPath } from "./problemText";
import { wrapText } from "./reporters/wrap";
import type { CheckSurroundings } from "./run";
import { TOOL } from "./version";
import type { AllocateArguments } from "./commonArguments";

/** Runs the command and returns the exit code: 0 with an allocation of every project, 2 if one is undecided. */
export async function allocateCommand(
  args: AllocateArguments,
  io: CliIo,
  { signal, openSession: open = openSession, cache: everyone }: CheckSurroundings,
): Promise<number> {
  const { projects, problems } = await loadProjects(args.paths, {
    cwd: io.cwd,
    ...(args.configurationFile !== undefined && { configurationFile: args.configurationFile }),
  });
  for (const problem of problems) io.error(`isolens: ${problemText(problem)}\n`);
  if (problems.length > 0) return EXIT.usage;
  if (projects.every(({ files }) => files.length === 0)) {
    io.error(
      `isolens: no SQL files and no code that uses a database in ${args.paths.join(", ")}\n`,
    );
    return EXIT.usage;
  }
  const cache = args.cache === false ? undefined : everyone;
  const session = await open({
    tool: TOOL,
    ...(cache && { cache }),
    ...(args.nodePath !== undefined && { nodePath: path.resolve(io.cwd, args.nodePath) }),
  });
  const found: { readonly folder: string; readonly allocation: Allocation }[] = [];
  try {
    for (const project of projects) {
      io.status?.("Trying levels");
      const allocation = await session.allocation(
        {
          project,
          ...(args.levels[0]?.level && { level: args.levels[0].level }),
          ...(args.maxTransactions !== undefined && { maxTransactions: args.maxTransactions }),
          ...(args.unroll !== undefined && { unroll: args.unroll }),
          ...(args.budget !== undefined && { budget: args.budget }),
        },
        signal,
      );
      io.status?.("");
      found.push({ folder: shortPath(project.folder, io.cwd), allocation });
    }
  } finally {
    await session.dispose();
  }
  io.out(
    args.format === "json"
      ? `${JSON.stringify({ formatVersion: 1, projects: found }, null, 2)}\n`
      : `${found.map(({ allocation }) => allocationText(allocation, io)).join("\n\n")}\n`,
  );
  return found.every(({ allocation }) => allocation.levels) ? EXIT.clean : EXIT.unknown;
}

/** The number of transactions per level, then each transaction with its level, and the alternatives. */
function allocationText(
  { among, levels, alternatives, isExhaustive, bound, open }: Allocation,
  io: CliIo,
): string {
  const { strong, faint } = paintFor(io);
  const notes = open.flatMap((reason) => wrapText(`open: ${reason}`, io.columns));
  if (!levels) {
    const head = `No allocation of ${among.join(", ")} was found that keeps the program serializable.`;
    return [...wrapText(head, io.columns).map(strong), ...notes].join("\n");
  }
  const own = Object.entries(levels);
  const weakest = among[0] ?? "";
  const counts = among
    .slice(1)
    .map((level) => ({ level, count: own.filter(([, each]) => each === level).length }))
    .filter(({ count }) => count > 0);
  const all = String(own.length);
  const head =
    counts.length === 0
      ? `All ${all} transactions may run at ${weakest}.`
      : `${counts.map(({ level, count }) => `${String(count)} of ${all} transactions need ${level}`).join("; ")}; the others may run at ${weakest}.`;
  const width = Math.max(...own.map(([name]) => name.length));
  const how = isExhaustive
    ? "every allocation was tried"
    : "levels were lowered one transaction after the other";
  return [
    ...wrapText(head, io.columns).map(strong),
    "",
    ...own.map(([name, level]) => `  ${name.padEnd(width)}  ${level}`),
    ...alternatives.flatMap((each) => ["", "or", ...differencesText(levels, each)]),
    "",
    faint(`searched with up to ${String(bound)} transactions at a time; ${how}`),
    ...notes,
  ].join("\n");
}

/** Only the differences. */
function differencesText(
  first: LevelsByTransaction,
  other: LevelsByTransaction,
): readonly string[] {
  return Object.entries(other)
    .filter(([name, level]) => new Map(Object.entries(first)).get(name) !== level)
    .map(([name, level]) => `  ${name}  ${level}`);
}
