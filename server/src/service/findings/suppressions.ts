// The transactions and statements that the `@isolens ignore` comments of a program apply to, and errors in the comments.
import { KINDS } from "../../analysis/explain/kinds/kinds";
import { codeLanguageOf } from "../../frontend/code/workspace/codeParsers";
import type { Note, Program, Transaction } from "../../program/program";
import type { SuppressedKind, Suppression } from "../../program/suppression";
import type { Cause } from "../../protocol/cause";
import { shownEdges, type Anomaly, type LevelReport } from "../../protocol/report";
import type { Range, SourceRange } from "../../protocol/source";
import { nearestNames } from "../../workspace/nearestFile";
import { statementsOf } from "../statements";
import type { CycleEnd } from "../../protocol/dependency";

/** A comment with its target. Unknown kinds are dropped. */
export interface PlacedSuppression extends Pick<Suppression, "kinds" | "reason" | "source"> {
  readonly about:
    | { readonly kind: "file"; readonly file: string }
    /** Ids of transactions. */
    | { readonly kind: "transactions"; readonly ids: readonly string[] }
    | { readonly kind: "statements"; readonly sources: readonly SourceRange[] };
}

export interface PlacedSuppressions {
  readonly placed: readonly PlacedSuppression[];
  readonly notes: readonly Note[];
}

/** The kinds that can be suppressed. */
export const SUPPRESSIBLE: readonly string[] = KINDS.map(({ name }) => name);

/**
 * Finds the target of every comment: the transaction that begins on its line, else the statements that begin there or contain it. In
 * application code, code that begins a few lines below counts too, since a call may take several lines before its text. Linear in comments
 * times statements of the file.
 */
export function placeSuppressions(program: Program): PlacedSuppressions {
  const { suppressions = [] } = program;
  if (suppressions.length === 0) return { placed: [], notes: [] };
  const placed: PlacedSuppression[] = [];
  const notes: Note[] = [];
  const targets = targetsOf(program);
  for (const suppression of suppressions) {
    const kinds = suppression.kinds.filter(({ name, source }) => {
      if (name === "all" || SUPPRESSIBLE.includes(name)) return true;
      notes.push(unknownKind(name, source));
      return false;
    });
    if (kinds.length === 0) continue;
    const about = aboutOf(targets, suppression);
    if (about === undefined) {
      const message =
        "No transaction or statement stands here, so nothing is suppressed. Put the comment above one, or use @isolens ignore-file.";
      notes.push(note("warning", "suppression-unattached", message, suppression.source));
      continue;
    }
    const own = { kinds, reason: suppression.reason, source: suppression.source, about };
    notes.push(...repetitions(own, placed));
    placed.push(own);
  }
  return { placed, notes };
}

/** The comments that cover an anomaly, narrowest scope first, each with the kind that matches. */
export function coveringSuppressions(
  placed: readonly PlacedSuppression[],
  anomaly: Anomaly,
  fileOf: (transaction: string) => string | undefined,
): readonly { readonly by: PlacedSuppression; readonly kind: SuppressedKind }[] {
  const ends = shownEdges(anomaly).flatMap(({ from, to }) => [from.file, to.file]);
  const files = new Set([...anomaly.transactions.map(fileOf), ...ends]);
  return placed
    .flatMap((by) => {
      const kind = by.kinds.find(({ name }) => name === anomaly.kind || name === "all");
      return kind && isAbout(by, anomaly, files) ? [{ by, kind }] : [];
    })
    .sort((a, b) => WIDTH[a.by.about.kind] - WIDTH[b.by.about.kind]);
}

/** True if a comment names a kind, by its name or by `all`. */
export function namesKind({ kinds }: PlacedSuppression, kind: string): boolean {
  return kinds.some(({ name }) => name === kind || name === "all");
}

/** True if a comment stands at the code of a cause: in its file, at its transactions or at its statements. */
export function isAtCause(
  { about }: PlacedSuppression,
  { transactions, read, uses }: Cause,
): boolean {
  switch (about.kind) {
    case "file":
      return read?.file === about.file;
    case "transactions":
      return transactions.every((name) => about.ids.includes(name));
    case "statements":
      return [...(read ? [read] : []), ...uses].some((end) => standsAt(about.sources, end));
  }
}

function standsAt(sources: readonly SourceRange[], end: CycleEnd): boolean {
  return sources.some(({ file, range }) => file === end.file && overlaps(range, end.range));
}

/** Undecided parts of a program, where an anomaly cannot be ruled out. */
export interface OpenParts {
  /** True if something undecided cannot be located. */
  readonly all: boolean;
  readonly transactions: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

export function openParts({ transactions, unknown }: LevelReport): OpenParts {
  const names = new Set(unknown.flatMap((each) => each.transactions));
  const files = [
    ...transactions.filter(({ name }) => names.has(name)),
    ...unknown.filter(({ file }) => file !== undefined),
  ].map(({ file }) => file ?? "");
  const isAll = unknown.some((each) => each.transactions.length === 0 && each.file === undefined);
  return { all: isAll, transactions: names, files: new Set(files) };
}

/** Kinds of comments that suppressed no finding; `used` has those that did. Undecided code in a comment's file may still need it. */
export function unusedSuppressions(
  placed: readonly PlacedSuppression[],
  used: ReadonlySet<SuppressedKind>,
  open: OpenParts,
): readonly Note[] {
  if (open.all) return [];
  return placed.flatMap(({ kinds, source, about }) => {
    if (open.files.has(source.file)) return [];
    const idle = kinds.filter((kind) => !used.has(kind));
    const where = about.kind === "file" ? "in this file" : "here";
    if (idle.length === kinds.length) {
      const names = idle.map(({ name }) => (name === "all" ? "anomaly" : name)).join(" or ");
      const message = `No ${names} is found ${where}: the comment suppresses nothing.`;
      return [note("information", "suppression-unused", message, source)];
    }
    return idle.map((kind) => {
      const message = `No ${kind.name} is found ${where}: it need not be suppressed.`;
      return note("information", "suppression-unused", message, kind.source);
    });
  });
}

const WIDTH = { statements: 0, transactions: 1, file: 2 } as const;

function isAbout(
  { about }: PlacedSuppression,
  anomaly: Anomaly,
  files: ReadonlySet<string | undefined>,
): boolean {
  switch (about.kind) {
    case "file":
      return files.has(about.file);
    case "transactions":
      return anomaly.transactions.some((name) => about.ids.includes(name));
    case "statements":
      return shownEdges(anomaly)
        .flatMap(({ from, to }) => [from, to])
        .some((end) => standsAt(about.sources, end));
  }
}

function overlaps(a: Range, b: Range): boolean {
  return isBefore(a.start, b.end) && isBefore(b.start, a.end);
}

function isBefore(a: Range["start"], b: Range["start"]): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

/** Lines below a comment in which its target may begin: the text of a call often has its own line. */
const NEAR = 3;

interface Targets {
  readonly transactions: readonly Transaction[];
  readonly statements: readonly SourceRange[];
}

/** Targets of comments, by file. */
function targetsOf(program: Program): (file: string) => Targets {
  const statements = program.transactions
    .flatMap(({ body }) => statementsOf(body))
    .map(({ source }) => source);
  const byFile = new Map<string, Targets>();
  return (file) => {
    const targets = byFile.get(file) ?? {
      transactions: program.transactions.filter(({ source }) => source.file === file),
      statements: statements.filter((source) => source.file === file),
    };
    byFile.set(file, targets);
    return targets;
  };
}

function aboutOf(
  targets: (file: string) => Targets,
  suppression: Suppression,
): PlacedSuppression["about"] | undefined {
  const { file } = suppression.source;
  if (suppression.about === "file") return { kind: "file", file };
  const { line } = suppression.about;
  const { transactions, statements } = targets(file);
  const last = line + (codeLanguageOf(file) === undefined ? 0 : NEAR);
  for (let at = line; at <= last; at++) {
    const ids = transactions.filter((each) => beginsOn(each, at)).map(({ id }) => id);
    if (ids.length > 0) return { kind: "transactions", ids };
    const sources = statements.filter(({ range: { start, end } }) =>
      // Text that continues on the comment's line is a target as well.
      at === line ? start.line <= at && at <= end.line : start.line === at,
    );
    if (sources.length > 0) return { kind: "statements", sources };
  }
  return undefined;
}

function beginsOn({ header, source }: Transaction, line: number): boolean {
  return header.range.start.line === line || source.range.start.line === line;
}

/** Kinds that an earlier comment already names for the same code. */
function repetitions(
  own: PlacedSuppression,
  earlier: readonly PlacedSuppression[],
): readonly Note[] {
  return own.kinds.flatMap((kind, at) => {
    const again = own.kinds.findIndex(({ name }) => name === kind.name) < at;
    const by = again ? own : earlier.find((each) => coversKind(each, own, kind.name));
    if (by === undefined) return [];
    const line = String(by.source.range.start.line + 1);
    const scope =
      by.about.kind === "file" && own.about.kind !== "file" ? " for the whole file" : "";
    const reason = by.reason === own.reason ? "" : ", with another reason";
    const message = again
      ? `${kind.name} stands here twice.`
      : `${kind.name} is suppressed on line ${line}${scope} already${reason}: keep one of the two.`;
    return [note("information", "suppression-repeated", message, kind.source)];
  });
}

function coversKind(by: PlacedSuppression, own: PlacedSuppression, kind: string): boolean {
  if (by.source.file !== own.source.file) return false;
  if (!by.kinds.some(({ name }) => name === kind || name === "all")) return false;
  return by.about.kind === "file" || JSON.stringify(by.about) === JSON.stringify(own.about);
}

function unknownKind(name: string, source: SourceRange): Note {
  const near = nearestNames(name, SUPPRESSIBLE);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((each) => `"${each}"`).join(" or ")}?`
      : `There are ${SUPPRESSIBLE.join(", ")} and all.`;
  return note(
    "warning",
    "suppression-unknown",
    `There is no kind of anomaly "${name}". ${hint}`,
    source,
  );
}

function note(
  severity: Note["severity"],
  code: string,
  message: string,
  source: SourceRange,
): Note {
  return { severity, code, message, source };
}
