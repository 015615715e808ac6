// The configuration file isolens.json: its keys, their types and their defaults. Reading from disk is in projects.ts.
import type { Detection } from "../frontend/settings/detection";
import { dialectOfName } from "../frontend/sql/dialectDetection/detectDialect";
import { defaultLevel, LEVELS, PRINTED_LEVELS, findLevel, sameProduct } from "../isolation/levels";
import type { Level, PaperLevel } from "../isolation/levels";
import type { SerializablePair } from "../isolation/mixedLevels";
import { DIALECTS, type Dialect } from "../program/dialect";
import { dictionary, ownEntry, setEntry } from "../protocol/dictionary";
import type { Range } from "../protocol/source";
import { parseDuration } from "./duration";
import { parseJson } from "./json";
import type { JsonEntry, JsonValue } from "./json";
import { nearestNames } from "./nearestFile";
import { FINDING_SEVERITIES, SEVERITY_KEYS, findingSeverity } from "./severities";
import type { Severities } from "./severities";

/** The name of the configuration file. */
export const CONFIGURATION_FILE = "isolens.json";

/** `left <> right` of a transaction's parameters, from the key `distinct`. */
export interface DistinctParameters {
  readonly transaction: string;
  readonly left: string;
  readonly right: string;
  readonly range: Range;
}

/** Names of two transactions whose instances are kept serializable with each other, from `serializablePairs`. */
export interface ConfiguredPair {
  readonly pair: SerializablePair;
  /** Its place in the file. */
  readonly range: Range;
}

export interface Configuration {
  /** The dialect of all files; detected per file if absent. */
  readonly dialect?: Dialect;
  /** The level of the workspace. */
  readonly level: Level;
  /** True if no level was configured: `level` is the dialect's default, or the detected one. */
  readonly levelIsDefault: boolean;
  /** The database detected in the workspace's files, where the configuration says nothing. */
  readonly detected?: Detection;
  /** Levels defined by the files under the key `levels`. */
  readonly defined: readonly PaperLevel[];
  /** Levels of single transactions, by name. */
  readonly transactionLevels: Readonly<Record<string, Level>>;
  readonly serializablePairs: readonly ConfiguredPair[];
  readonly distinct: readonly DistinctParameters[];
  /** Invariants between transactions, with their places in the file. */
  readonly invariants: readonly { readonly text: string; readonly range: Range }[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly maxTransactions: number;
  /** Loop unrolling bound. */
  readonly unroll: number;
  /** True to attempt a proof for any number of transactions if nothing is found. */
  readonly prove: boolean;
  /** Milliseconds. */
  readonly budget: number;
  /** Non-default severities of kinds. */
  readonly severities: Severities;
  /** The baseline file as written, relative to the configuration. */
  readonly baseline?: { readonly path: string; readonly range: Range };
}

export interface ConfigurationProblem {
  /** `error`: nothing can be checked until it is corrected. */
  readonly severity: "error" | "warning" | "information";
  readonly message: string;
  readonly range: Range;
}

export interface ConfigurationResult {
  readonly configuration: Configuration;
  readonly problems: readonly ConfigurationProblem[];
}

/** The configuration without a file. */
export const DEFAULT_CONFIGURATION: Configuration = {
  level: defaultLevel("postgres"),
  levelIsDefault: true,
  defined: [],
  transactionLevels: {},
  serializablePairs: [],
  distinct: [],
  invariants: [],
  include: ["**/*.sql", "**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,java}"],
  exclude: [],
  maxTransactions: 3,
  unroll: 1,
  prove: false,
  budget: 10_000,
  severities: {},
};

/** The files under `levels` in an isolens.json, as written. */
export function levelFilesOf(
  text: string,
): readonly { readonly path: string; readonly range: Range }[] {
  const result = parseJson(text);
  if (!result.ok || result.value.kind !== "object") return [];
  const entry = result.value.entries.find(({ key }) => key === "levels");
  const items = (entry && itemsOf(entry.value)) ?? [];
  return items.flatMap((item) =>
    item.kind === "string" ? [{ path: item.value, range: item.range }] : [],
  );
}

/**
 * Parses an isolens.json; `defined` are the levels of its level files. Wrong values are reported with their place and replaced by the
 * default.
 */
export function parseConfiguration(
  text: string,
  defined: readonly PaperLevel[] = [],
): ConfigurationResult {
  const problems: ConfigurationProblem[] = [];
  const result = parseJson(text);
  if (!result.ok) {
    problems.push({ severity: "error", message: result.message, range: result.range });
    return { configuration: DEFAULT_CONFIGURATION, problems };
  }
  if (result.value.kind !== "object") {
    problems.push(wrongFile(result.value, "the configuration", 'an object, as { "level": "..." }'));
    return { configuration: DEFAULT_CONFIGURATION, problems };
  }
  const draft: Draft = { ...DEFAULT_CONFIGURATION, defined };
  const seen = new Set<string>();
  for (const entry of result.value.entries) {
    if (seen.has(entry.key)) {
      problems.push(problemAt(entry, "error", `the key "${entry.key}" stands here twice`));
    }
    seen.add(entry.key);
    const read = KEYS[entry.key];
    if (read) read(entry, draft, problems);
    else problems.push(problemAt(entry, "error", unknownText("key", entry.key, Object.keys(KEYS))));
  }
  const configuration = withDefaultLevel(draft, draft.dialect ?? "postgres");
  const settled = !configuration.levelIsDefault || configuration.dialect !== undefined;
  if (settled) problems.push(...mixedProducts(configuration, result.value.entries));
  return { configuration, problems };
}

/** Levels of single transactions that are incompatible with the level of the others. */
function mixedProducts(
  { level, transactionLevels }: Configuration,
  entries: readonly JsonEntry[],
): readonly ConfigurationProblem[] {
  const own = entries.findLast(({ key }) => key === "transactions")?.value;
  if (own?.kind !== "object") return [];
  return own.entries.flatMap((entry): readonly ConfigurationProblem[] => {
    const other = ownEntry(transactionLevels, entry.key);
    const place = entry.value.kind === "object" ? entry.value.entries.at(-1)?.value : undefined;
    if (other === undefined || place === undefined || sameProduct(other, level)) return [];
    const message = mixedProductsText(entry.key, other, level);
    return [{ severity: "error", message, range: place.range }];
  });
}

/** The reason why a transaction cannot run at a level while the others run at another. */
export function mixedProductsText(transaction: string, own: Level, others: Level): string {
  const kind = (level: Level): string =>
    level.family === "paper" ? "is defined by axioms" : `is a level of ${level.product}`;
  return `${transaction} is to run at ${own.name}, which ${kind(own)}, and the others at ${others.name}, which ${kind(others)}; levels that are mixed must be of one database, or all be defined by axioms`;
}

/** The configuration at the dialect's default level, unless it names a level. */
export function withDefaultLevel(configuration: Configuration, dialect: Dialect): Configuration {
  return configuration.levelIsDefault
    ? { ...configuration, level: defaultLevel(dialect) }
    : configuration;
}

/** `there is no level "x"; did you mean "y"?`, or with all names if none is similar. */
export function unknownText(what: string, written: string, known: readonly string[]): string {
  const near = nearestNames(written, known);
  const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
  const hint = near.length > 0 ? `did you mean ${quoted(near)}?` : `there are ${quoted(known)}`;
  return `there is no ${what} "${written}"; ${hint}`;
}

/** The same for a level, whose aliases count as well; `defined` are user-defined levels. */
export function unknownLevelText(written: string, defined: readonly PaperLevel[] = []): string {
  // The papers' printed forms are only suggested if the text names one.
  const known: readonly Level[] = /^(clotho|anode)/iu.test(written)
    ? LEVELS
    : LEVELS.filter((level) => !PRINTED_LEVELS.some((printed) => printed === level));
  const offered = [...known, ...defined];
  const names = offered.map((level) => level.name);
  const spelled = offered.flatMap((level) => [level.name, ...level.aliases]);
  // A name without a product suggests a level without one, if there is a similar one.
  const plain = written.includes(":") ? [] : spelled.filter((name) => !name.includes(":"));
  const nearPlain = nearestNames(written, plain);
  const near = (nearPlain.length > 0 ? nearPlain : nearestNames(written, spelled)).map(
    (name) => findLevel(name, defined)?.name ?? name,
  );
  // SQL's own words name a level of the product.
  const ofProduct = findLevel(`postgres:${written}`)?.name;
  const hints = ofProduct ? [ofProduct] : [...new Set(near)];
  const list = (hints.length > 0 ? hints : names).map((name) => `"${name}"`).join(", ");
  const hint = hints.length > 0 ? `did you mean ${list}?` : `there are ${list}`;
  return `there is no level "${written}"; ${hint}`;
}

type Draft = { -readonly [Key in keyof Configuration]: Configuration[Key] };
type ReadKey = (entry: JsonEntry, draft: Draft, problems: ConfigurationProblem[]) => void;

const KEYS = dictionary<ReadKey>({
  $schema: () => undefined,
  dialect: (entry, draft, problems) => {
    const name = textOf(entry, problems);
    if (name === undefined) return;
    const dialect = dialectOfName(name);
    if (dialect !== undefined) draft.dialect = dialect;
    else {
      const message = unknownText("dialect", name, DIALECTS);
      problems.push({ severity: "error", message, range: entry.value.range });
    }
  },
  levels: (entry, _draft, problems) => {
    if (textsOf(entry.value)) return;
    problems.push(wrong(entry.value, '"levels"', 'a list of files, as ["my-store.level.json"]'));
  },
  level: (entry, draft, problems) => {
    const level = levelOf(entry, draft, problems);
    if (level === undefined) return;
    draft.level = level;
    draft.levelIsDefault = false;
  },
  transactions: (entry, draft, problems) => {
    if (entry.value.kind !== "object") {
      problems.push(
        wrong(entry.value, '"transactions"', 'an object, as { "name": { "level": "..." } }'),
      );
      return;
    }
    const levels: Record<string, Level> = {};
    for (const each of entry.value.entries) {
      const level = transactionLevel(each, draft, problems);
      if (level) setEntry(levels, each.key, level);
    }
    draft.transactionLevels = levels;
  },
  serializablePairs: (entry, draft, problems) => {
    const pairs = itemsOf(entry.value)?.flatMap((item): ConfiguredPair[] => {
      const [a, b, ...more] = textsOf(item) ?? [];
      if (a === undefined || b === undefined || more.length > 0) return [];
      return [{ pair: [a, b], range: item.range }];
    });
    if (pairs !== undefined && pairs.length === itemsOf(entry.value)?.length) {
      draft.serializablePairs = pairs;
    } else {
      problems.push(wrong(entry.value, '"serializablePairs"', 'a list of pairs, as [["a", "b"]]'));
    }
  },
  invariants: (entry, draft, problems) => {
    if (!listOfTexts(entry, problems)) return;
    draft.invariants = (itemsOf(entry.value) ?? []).flatMap((item) =>
      item.kind === "string" ? [{ text: item.value, range: item.range }] : [],
    );
  },
  distinct: (entry, draft, problems) => {
    if (listOfTexts(entry, problems)) draft.distinct = distinctOf(entry, problems);
  },
  include: (entry, draft, problems) => {
    draft.include = listOfTexts(entry, problems) ?? draft.include;
  },
  exclude: (entry, draft, problems) => {
    draft.exclude = listOfTexts(entry, problems) ?? draft.exclude;
  },
  maxTransactions: (entry, draft, problems) => {
    const { value } = entry;
    if (value.kind === "number" && isMaxTransactions(value.value)) {
      draft.maxTransactions = value.value;
    } else problems.push(wrong(value, '"maxTransactions"', "a whole number from 2 on"));
  },
  unroll: (entry, draft, problems) => {
    const { value } = entry;
    if (value.kind === "number" && isUnroll(value.value)) draft.unroll = value.value;
    else problems.push(wrong(value, '"unroll"', UNROLL_RANGE));
  },
  prove: (entry, draft, problems) => {
    const { value } = entry;
    if (value.kind === "boolean") draft.prove = value.value;
    else problems.push(wrong(value, '"prove"', "true or false"));
  },
  budget: (entry, draft, problems) => {
    const { value } = entry;
    const budget = value.kind === "string" ? parseDuration(value.value) : undefined;
    if (budget !== undefined) draft.budget = budget;
    else problems.push(wrong(value, '"budget"', 'a duration, as "10s", "500ms" or "2m"'));
  },
  severities: (entry, draft, problems) => {
    if (entry.value.kind !== "object") {
      problems.push(wrong(entry.value, '"severities"', 'an object, as { "phantom": "off" }'));
      return;
    }
    draft.severities = severitiesOf(entry.value.entries, problems);
  },
  baseline: (entry, draft, problems) => {
    const path = textOf(entry, problems);
    if (path !== undefined) draft.baseline = { path, range: entry.value.range };
  },
});

/** The allowed range of the unrolling bound, in words. */
export const UNROLL_RANGE = "a whole number from 1 to 8";

/** True for a valid tuple size limit. */
export function isMaxTransactions(count: number): boolean {
  return Number.isInteger(count) && count >= 2;
}

/** True for a valid unrolling bound. */
export function isUnroll(rounds: number): boolean {
  return Number.isInteger(rounds) && rounds >= 1 && rounds <= 8;
}

function transactionLevel(
  entry: JsonEntry,
  draft: Draft,
  problems: ConfigurationProblem[],
): Level | undefined {
  if (entry.value.kind !== "object") {
    problems.push(wrong(entry.value, `"${entry.key}"`, 'an object, as { "level": "..." }'));
    return undefined;
  }
  let found: Level | undefined;
  for (const each of entry.value.entries) {
    if (each.key === "level") found = levelOf(each, draft, problems);
    else problems.push(problemAt(each, "error", unknownText("key", each.key, ["level"])));
  }
  return found;
}

function severitiesOf(entries: readonly JsonEntry[], problems: ConfigurationProblem[]): Severities {
  const read = entries.flatMap((each) => {
    if (!SEVERITY_KEYS.includes(each.key)) {
      const message = unknownText("kind of anomaly", each.key, SEVERITY_KEYS);
      problems.push(problemAt(each, "error", message));
      return [];
    }
    const severity = each.value.kind === "string" ? findingSeverity(each.value.value) : undefined;
    if (severity !== undefined) return [[each.key, severity] as const];
    const names = FINDING_SEVERITIES.map((name) => `"${name}"`).join(", ");
    problems.push(wrong(each.value, `"${each.key}"`, `one of ${names}`));
    return [];
  });
  return Object.fromEntries(read);
}

function levelOf(
  entry: JsonEntry,
  { defined }: Draft,
  problems: ConfigurationProblem[],
): Level | undefined {
  const name = textOf(entry, problems);
  if (name === undefined) return undefined;
  const level = findLevel(name, defined);
  if (!level) {
    const message = unknownLevelText(name, defined);
    problems.push({ severity: "error", message, range: entry.value.range });
  }
  return level;
}

function distinctOf(
  entry: JsonEntry,
  problems: ConfigurationProblem[],
): readonly DistinctParameters[] {
  return (itemsOf(entry.value) ?? []).flatMap((item): readonly DistinctParameters[] => {
    const text = item.kind === "string" ? item.value : "";
    const match = /^\s*(\S+)\.([^\s.<>!=]+)\s*(?:<>|!=)\s*(?:(\S+)\.)?([^\s.<>!=]+)\s*$/u.exec(
      text,
    );
    const [, transaction, left, other, right] = match ?? [];
    if (transaction && left && right && (other === undefined || other === transaction)) {
      return [{ transaction, left, right, range: item.range }];
    }
    problems.push(wrong(item, "a rule", 'two parameters, as "transfer.src <> transfer.dst"'));
    return [];
  });
}

function textOf(entry: JsonEntry, problems: ConfigurationProblem[]): string | undefined {
  if (entry.value.kind === "string") return entry.value.value;
  problems.push(wrong(entry.value, `"${entry.key}"`, "text in double quotes"));
  return undefined;
}

function listOfTexts(
  entry: JsonEntry,
  problems: ConfigurationProblem[],
): readonly string[] | undefined {
  const texts = textsOf(entry.value);
  if (!texts) problems.push(wrong(entry.value, `"${entry.key}"`, 'a list of texts, as ["..."]'));
  return texts;
}

function textsOf(value: JsonValue): readonly string[] | undefined {
  const items = itemsOf(value);
  const texts = items?.flatMap((item) => (item.kind === "string" ? [item.value] : []));
  return texts?.length === items?.length ? texts : undefined;
}

function itemsOf(value: JsonValue): readonly JsonValue[] | undefined {
  return value.kind === "array" ? value.items : undefined;
}

/** "X must be such and such, and is this." */
export function wrong(value: JsonValue, what: string, expected: string): ConfigurationProblem {
  return {
    severity: "error",
    message: `${what} must be ${expected}, and is ${describe(value)}`,
    range: value.range,
  };
}

/** The same for a whole file, without quoting its text, which may be confidential. */
export function wrongFile(
  { kind, range }: JsonValue,
  what: string,
  expected: string,
): ConfigurationProblem {
  const found = kind === "array" ? "a list" : kind === "string" ? "a text" : `a ${kind}`;
  return { severity: "error", message: `${what} must be ${expected}, and is ${found}`, range };
}

function describe(value: JsonValue): string {
  switch (value.kind) {
    case "object":
      return "an object";
    case "array":
      return "a list";
    case "null":
      return "null";
    case "string":
      return JSON.stringify(
        value.value.length > 40 ? `${value.value.slice(0, 40)}...` : value.value,
      );
    case "number":
    case "boolean":
      return String(value.value);
  }
}

function problemAt(
  entry: JsonEntry,
  severity: ConfigurationProblem["severity"],
  message: string,
): ConfigurationProblem {
  return { severity, message, range: entry.keyRange };
}
