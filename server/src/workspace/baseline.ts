// The baseline: a file with the findings that a code base starts with, so that only new ones are told. Its text, read
// and written; which findings an entry stands for is decided in service/findings.ts.
import type { Range } from "../protocol/source";
import { parseJson, type JsonEntry, type JsonValue } from "./json";
import { openSources, type Sources } from "./sources";

/** One finding, or several that nothing tells apart. */
export interface BaselineEntry {
  readonly fingerprint: string;
  readonly kind: string;
  readonly transactions: readonly string[];
  readonly statements: readonly string[];
  /** How many findings have this content. */
  readonly count: number;
  /** Why it is accepted; the user may write it. */
  readonly reason: string;
  readonly range: Range;
}

export interface Baseline {
  /** Absolute. */
  readonly path: string;
  readonly entries: readonly BaselineEntry[];
}

/** Why a baseline cannot be used, with the place in it where its text is to blame. */
export interface BaselineProblem {
  readonly path: string;
  readonly message: string;
  readonly range?: Range;
}

const FORMAT = "isolens-baseline";
const VERSION = 1;

/** Reads a baseline; `workspace` is the folder that it must be in, its own by default. */
export async function readBaseline(
  absolute: string,
  sources: Sources = openSources({ roots: [] }),
  workspace?: string,
): Promise<Baseline | BaselineProblem> {
  const read = await sources.read(absolute, workspace);
  if (!read.ok) {
    const message = `the baseline cannot be read (${read.reason}); "isolens check --write-baseline FILE" writes one`;
    return { path: absolute, message };
  }
  return parseBaseline(absolute, read.text);
}

/** The entries of a baseline's text, or what is wrong with it: a part of a baseline would hide what it should not. */
export function parseBaseline(path: string, text: string): Baseline | BaselineProblem {
  const json = parseJson(text);
  if (!json.ok)
    return { path, message: `the baseline is damaged: ${json.message}`, range: json.range };
  const fields = fieldsOf(json.value);
  const fault = (message: string, range: Range): BaselineProblem => ({ path, message, range });
  const format = fields?.get("format");
  if (format?.kind !== "string" || format.value !== FORMAT) {
    return fault(`this is no baseline: "format" is not "${FORMAT}"`, json.value.range);
  }
  const version = fields?.get("version");
  if (version?.kind !== "number" || version.value !== VERSION) {
    const own = version?.kind === "number" ? `version ${String(version.value)}` : "no version";
    const message = `this baseline has ${own}, and this release reads version ${String(VERSION)}; write it again with --write-baseline`;
    return fault(message, version?.range ?? json.value.range);
  }
  const findings = fields?.get("findings");
  if (findings?.kind !== "array") {
    return fault('the baseline has no list of "findings"', json.value.range);
  }
  const entries: BaselineEntry[] = [];
  for (const item of findings.items) {
    const entry = entryOf(item);
    if (entry === undefined) {
      return fault(
        'an entry of the baseline is damaged: it needs "fingerprint", "kind", "transactions" and "statements"',
        item.range,
      );
    }
    if (entries.some(({ fingerprint }) => fingerprint === entry.fingerprint)) {
      return fault(
        `the baseline has ${entry.fingerprint} twice; give it a "count" instead`,
        item.range,
      );
    }
    entries.push(entry);
  }
  return { path, entries };
}

/** The text of a baseline: one entry per content, in an order that does not depend on the findings'. */
export function baselineText(entries: readonly Omit<BaselineEntry, "range">[]): string {
  const findings = [...entries]
    .sort((a, b) => compare(sortKey(a), sortKey(b)))
    .map(({ fingerprint, kind, transactions, statements, count, reason }) => ({
      fingerprint,
      kind,
      transactions,
      statements,
      ...(count > 1 && { count }),
      ...(reason !== "" && { reason }),
    }));
  return `${JSON.stringify({ format: FORMAT, version: VERSION, findings }, null, 2)}\n`;
}

function sortKey({ kind, transactions, fingerprint }: Omit<BaselineEntry, "range">): string {
  return [transactions.join(" "), kind, fingerprint].join("\n");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function entryOf(item: JsonValue): BaselineEntry | undefined {
  const fields = fieldsOf(item);
  const fingerprint = textOf(fields?.get("fingerprint"));
  const kind = textOf(fields?.get("kind"));
  const transactions = textsOf(fields?.get("transactions"));
  const statements = textsOf(fields?.get("statements"));
  const count = fields?.get("count");
  const reason = fields?.get("reason");
  if (!fingerprint || !kind || !transactions || !statements) return undefined;
  if (count && !(count.kind === "number" && Number.isInteger(count.value) && count.value >= 1)) {
    return undefined;
  }
  if (reason && reason.kind !== "string") return undefined;
  return {
    fingerprint,
    kind,
    transactions,
    statements,
    count: count?.kind === "number" ? count.value : 1,
    reason: textOf(reason) ?? "",
    range: item.range,
  };
}

function fieldsOf(value: JsonValue): ReadonlyMap<string, JsonValue> | undefined {
  if (value.kind !== "object") return undefined;
  return new Map(value.entries.map(({ key, value: field }: JsonEntry) => [key, field]));
}

function textOf(value: JsonValue | undefined): string | undefined {
  return value?.kind === "string" ? value.value : undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (value?.kind !== "array") return undefined;
  const texts = value.items.flatMap((item) => textOf(item) ?? []);
  return texts.length === value.items.length ? texts : undefined;
}
