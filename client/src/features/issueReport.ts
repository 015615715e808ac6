// The text of an issue report: versions, settings, counts. It contains source text only with the user's consent.
import type { CheckSummary, ServerStatus } from "../../../server/src/protocol/requests";

export interface IssueFacts {
  /** Names of our levels; others are user-defined. */
  readonly levels: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly status: ServerStatus | undefined;
  readonly summaries: readonly CheckSummary[];
  /** Only with the user's consent. */
  readonly source?: { readonly language: string; readonly text: string };
}

/** Settings without names from the user's machine. */
const TOLD = ["level", "check", "scope", "unroll", "prove", "maxTransactions", "budget"];

/** A document for the user to read, complete and post. Paths, names and messages are left out as private. */
export function issueReport({
  levels,
  versions,
  settings,
  status,
  summaries,
  source,
}: IssueFacts): string {
  const levelText = (name: unknown): string =>
    levels.find((each) => each === name) ?? "a level of one's own";
  const told = Object.entries(settings)
    .filter(([name]) => TOLD.includes(name))
    .map(([name, value]) => [name, name === "level" ? levelText(value) : value] as const);
  const lines = [
    "<!-- Nothing was sent. Read this, say what happened and what you expected, and post it where you like. -->",
    "",
    "## What happened",
    "",
    "## What was expected",
    "",
    "## Versions",
    "",
    ...Object.entries(versions).map(([name, version]) => `- ${name}: ${version}`),
    "",
    "## Settings",
    "",
    ...told.map(([name, value]) => `- isolens.${name}: ${JSON.stringify(value)}`),
    "",
    "## Checks",
    "",
    `- health: ${status?.health ?? "not running"}, open texts: ${String(status?.open.length ?? 0)}`,
    ...summaries.map(
      ({ level, verdict, anomalies, transactions, unknown }) =>
        `- ${levelText(level.name)}: ${verdict}, ${String(anomalies)} anomalies of ${String(transactions)} transactions, ${String(unknown.length)} open questions`,
    ),
  ];
  const fence = source && fenceFor(source.text);
  const shown =
    source && fence
      ? ["", "## Source", "", `${fence}${source.language}`, source.text.trimEnd(), fence]
      : [];
  return `${[...lines, ...shown].join("\n")}\n`;
}

/** Longer than every run of backticks in the text. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  return "`".repeat(longest + 1);
}
