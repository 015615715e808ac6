// A learnt program as annotated SQL: what psql would run, with comments that say where it comes from and how sure it is.
import type { LearntBranch, LearntNode, LearntProgram } from "./learn/program";
import type { RowRange } from "./statements";

/** The text of one entry point's file. */
export function writtenProgram(
  program: LearntProgram,
  run: { readonly command?: string } = {},
): string {
  const { name, isUnit, at, runs, changedRuns, errors, body, doubts } = program;
  const used = mentioned(body);
  const lines = [
    `-- Learnt by "isolens record"${run.command === undefined ? "" : ` from: ${run.command}`}. Runs show the paths that they took; others may exist.`,
    `-- @isolens ${isUnit ? "unit" : "transaction"} ${name}`,
    ...(at === undefined ? [] : [`-- @isolens at ${at}`]),
    `-- @isolens learnt ${String(runs)} ${runs === 1 ? "run" : "runs"}`,
    ...(changedRuns === 0
      ? []
      : [`-- In ${String(changedRuns)} more, one answer of the server was changed.`]),
    ...[...errors].map(
      ([code, count]) => `-- ${String(count)} of them ended with the server's error ${code}.`,
    ),
    ...doubts.map((doubt) => `-- @isolens over ${doubt}`),
    ...body.flatMap((node) => nodeLines(node, used)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Names of variables that something refers to. */
function mentioned(nodes: readonly LearntNode[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (text: string): void => {
    for (const [, name = ""] of text.matchAll(/(?<!:):([A-Za-z_]\w*)/g)) names.add(name);
  };
  const walk = (node: LearntNode): void => {
    if (node.kind === "branch")
      for (const { condition, body } of node.arms) {
        add(condition ?? "");
        body.forEach(walk);
      }
    else add(node.sql);
  };
  nodes.forEach(walk);
  return names;
}

function nodeLines(node: LearntNode, used: ReadonlySet<string>): readonly string[] {
  switch (node.kind) {
    case "control":
      return [node.what === "quit" ? node.sql : `${node.sql};`];
    case "branch":
      return branchLines(node, used);
    case "statement": {
      const { sql, prefix, counter, at, returns, rows } = node;
      const keeps = returns && [...used].some((name) => name.startsWith(prefix));
      return [
        ...(at === undefined ? [] : [`-- @isolens at ${at}`]),
        ...(rows === undefined ? [] : [rowsLine(rows)]),
        keeps ? `${sql} \\gset ${prefix}` : `${sql};`,
        ...(used.has(counter) ? [`\\set ${counter} :ROW_COUNT`] : []),
      ];
    }
  }
}

function rowsLine({ least, most }: RowRange): string {
  return `-- @isolens rows ${String(least)}${most === least ? "" : ` to ${String(most)}`}`;
}

function branchLines({ arms }: LearntBranch, used: ReadonlySet<string>): readonly string[] {
  const lines: string[] = [];
  for (const { condition, body } of arms) {
    const inner = body.flatMap((node) => nodeLines(node, used));
    if (condition === undefined) {
      if (inner.length > 0) lines.push("\\else", ...inner);
    } else lines.push(`\\${lines.length === 0 ? "if" : "elif"} ${condition}`, ...inner);
  }
  return [...lines, "\\endif"];
}
