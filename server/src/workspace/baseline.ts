// The baseline: a file with the existing findings of a code base, so that only new ones are reported. Reads and writes its text;
// service/findings/baselineUse.ts matches entries with findings.
import type { Range } from "../protocol/source";
import { parseJson, type JsonEntry, type JsonValue } from "./json";
import { openSources, type Sources } from "./sources";

/** The common part of entries of all versions. */
interface Entry {
  readonly fingerprint: string;
  /** Names of transactions without their files. */
  readonly transactions: readonly string[];
  /** The number of findings with this content. */
  readonly count: number;
  /** The reason for accepting it; the user may edit it. */
  readonly reason: string;
  readonly range: Range;
}

/** One cause, or several indistinguishable ones, with any partners. */
export interface BaselineEntry extends Entry {
  /** Kinds of its anomalies when it was written, for people. */
  readonly kinds: readonly string[];
  /** The stale statement and its uses; see `plainStatement`. */
  readonly read: string;
  readonly table: string;
  readonly uses: readonly string[];
}

/** An entry of version 1: one anomaly with its partners. */
export interface AnomalyEntry extends Entry {
  readonly kind: string;
  readonly statements: readonly string[];
}

export interface Baseline {
  /** Absolute path. */
  readonly path: string;
  readonly entries: readonly BaselineEntry[];
  /** The entries of a version 1 file, which has no others. */
  readonly old: readonly AnomalyEntry[];
}

/** The reason why a baseline cannot be used, with the place of an error in its text. */
export interface BaselineProblem {
  readonly path: string;
  readonly message: string;
  readonly range?: Range;
}

const FORMAT = "isolens-baseline";
const VERSION = 2;
/** Entries of this version still match anomalies. */
const OLD_VERSION = 1;

/** Reads a baseline; `workspace` is the folder that must contain it, by default its own workspace. */
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

/** The entries of a baseline's text, or the error in it: a partly read baseline would suppress the wrong findings. */
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
  const number = version?.kind === "number" ? version.value : undefined;
  if (number !== VERSION && number !== OLD_VERSION) {
    const own = number === undefined ? "no version" : `version ${String(number)}`;
    const message = `this baseline has ${own}, and this release reads version ${String(VERSION)}; write it again with --write-baseline`;
    return fault(message, version?.range ?? json.value.range);
  }
  const findings = fields?.get("findings");
  if (findings?.kind !== "array") {
    return fault('the baseline has no list of "findings"', json.value.range);
  }
  const read =
    number === VERSION
      ? entriesOf(findings.items, causeEntry)
      : entriesOf(findings.items, oldEntry);
  if (read.fault) {
    const needed = number === VERSION ? FIELDS : OLD_FIELDS;
    const message =
      read.twice === undefined
        ? `an entry of the baseline is damaged: it needs ${needed}`
        : `the baseline has ${read.twice} twice; give it a "count" instead`;
    return fault(message, read.fault);
  }
  return number === VERSION
    ? { path, entries: read.entries.flatMap((each) => ("read" in each ? [each] : [])), old: [] }
    : { path, entries: [], old: read.entries.flatMap((each) => ("kind" in each ? [each] : [])) };
}

const FIELDS = '"fingerprint", "transactions", "read", "table", "uses" and "kinds"';
const OLD_FIELDS = '"fingerprint", "kind", "transactions" and "statements"';

interface EntriesRead {
  readonly entries: readonly (BaselineEntry | AnomalyEntry)[];
  /** The place of the first invalid entry. */
  readonly fault?: Range;
  /** Its fingerprint, if another entry has the same. */
  readonly twice?: string;
}

function entriesOf(
  items: readonly JsonValue[],
  entryOf: (item: JsonValue) => BaselineEntry | AnomalyEntry | undefined,
): EntriesRead {
  const entries = new Map<string, BaselineEntry | AnomalyEntry>();
  for (const item of items) {
    const entry = entryOf(item);
    if (entry === undefined) return { entries: [], fault: item.range };
    const { fingerprint } = entry;
    if (entries.has(fingerprint)) return { entries: [], fault: item.range, twice: fingerprint };
    entries.set(fingerprint, entry);
  }
  return { entries: [...entries.values()] };
}

/** The text of a baseline: one entry per content, in an order independent of the findings'. */
export function baselineText(entries: readonly Omit<BaselineEntry, "range">[]): string {
  const findings = [...entries]
    .sort((a, b) => compare(sortKey(a), sortKey(b)))
    .map(({ fingerprint, transactions, read, table, uses, kinds, count, reason }) => ({
      fingerprint,
      transactions,
      read,
      table,
      uses,
      kinds,
      ...(count > 1 && { count }),
      ...(reason !== "" && { reason }),
    }));
  return `${JSON.stringify({ format: FORMAT, version: VERSION, findings }, null, 2)}\n`;
}

function sortKey({ transactions, read, fingerprint }: Omit<BaselineEntry, "range">): string {
  return [transactions.join(" "), read, fingerprint].join("\n");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function causeEntry(item: JsonValue): BaselineEntry | undefined {
  const fields = fieldsOf(item);
  const entry = commonEntry(item);
  const [read, table] = [textOf(fields?.get("read")), textOf(fields?.get("table"))];
  const [uses, kinds] = [textsOf(fields?.get("uses")), textsOf(fields?.get("kinds"))];
  if (!entry || read === undefined || table === undefined || !uses || !kinds) return undefined;
  return { ...entry, read, table, uses, kinds };
}

function oldEntry(item: JsonValue): AnomalyEntry | undefined {
  const fields = fieldsOf(item);
  const entry = commonEntry(item);
  const [kind, statements] = [textOf(fields?.get("kind")), textsOf(fields?.get("statements"))];
  return entry && kind && statements ? { ...entry, kind, statements } : undefined;
}

function commonEntry(item: JsonValue): Entry | undefined {
  const fields = fieldsOf(item);
  const fingerprint = textOf(fields?.get("fingerprint"));
  const transactions = textsOf(fields?.get("transactions"));
  const count = fields?.get("count");
  const reason = fields?.get("reason");
  if (!fingerprint || !transactions) return undefined;
  if (count && !(count.kind === "number" && Number.isInteger(count.value) && count.value >= 1)) {
    return undefined;
  }
  if (reason && reason.kind !== "string") return undefined;
  return {
    fingerprint,
    transactions,
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
