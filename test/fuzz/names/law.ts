// The law of names: what things are called changes no verdict.
import type { SourceFile } from "../../../server/src/frontend/sql/readProgram";
import type { LevelReport } from "../../../server/src/protocol/report";
import { codeFiles, codeProgram } from "../../unit/apps/codeApp";
import { analyse, analyseProgram } from "../../unit/truth/analyse";
import type { Random } from "../servers/random";
import { naming, type Spelling } from "./namings";
import { declaredNames, isKept, renamed, renamedWords, type Product } from "./renaming";

/** Files, what is said of them, and the same files under names that are drawn. */
export interface Example {
  readonly name: string;
  readonly files: readonly SourceFile[];
  report(files: readonly SourceFile[]): Promise<LevelReport>;
  renamed(random: Random): Renamed;
}

interface Renamed {
  readonly files: readonly SourceFile[];
  /** The new names. */
  readonly names: ReadonlyMap<string, string>;
}

/** The messages under other names that were not there before, and the files that they are about. */
export interface Breach {
  readonly expected: readonly string[];
  readonly found: readonly string[];
  readonly files: readonly SourceFile[];
}

/** An example whose files are SQL; all that they define gets other names. */
export function sqlExample(
  name: string,
  files: readonly SourceFile[],
  product: Product,
  level: string,
): Example {
  return {
    name: `${name} at ${level}`,
    files,
    report: (texts) => analyse(texts, level, 2),
    renamed(random) {
      const names = naming(
        declaredNames(files),
        spellingOf(files, product),
        random,
        (each) => isLegal(each, product) && !isKept(each.toLowerCase()),
      );
      return { files: renamed(files, names, product), names };
    },
  };
}

/**
 * An example whose transactions are code; the columns that its schema declares get other names, or these words. `isLegal`:
 * can such a name stand wherever these do?
 */
export function codeExample(
  name: string,
  level: string,
  words?: readonly string[],
  isLegalThere: (name: string) => boolean = () => true,
): Example {
  const files = codeFiles(name);
  const all = files.map(({ text }) => text).join("\n");
  const declared = declaredNames(files.filter(({ file }) => file.endsWith(".sql")));
  const chosen = words ?? declared.filter(isTelling);
  const isBound = chosen.some((word) => new RegExp(`[^:]:${word}\\b`, "u").test(all));
  const isFree = (each: string): boolean =>
    isLegal(each, "postgres") &&
    isLegalThere(each) &&
    !all.includes(each) &&
    (!isBound || isParameter(each));
  return {
    name: `${name} at ${level}`,
    files,
    report: async (texts) => analyseProgram(await codeProgram(texts), level, 2),
    renamed(random) {
      const names = naming(chosen, "plain", random, isFree);
      return { files: renamedWords(files, names), names };
    },
  };
}

/** The answer on an example as it stands. */
export async function saidOf({ files, report }: Example): Promise<readonly string[]> {
  return said(await report(files), new Map());
}

/** Other names of an example under which something else is said; undefined where it is the same. */
export async function breachOf(
  example: Example,
  expected: readonly string[],
  random: Random,
): Promise<Breach | undefined> {
  const { files, names } = example.renamed(random);
  // MySQL's routines are called in any case of letters, and told in lower case.
  const back = new Map(
    [...names].flatMap(([from, to]) => [
      [to, from],
      [to.toLowerCase(), from],
    ]),
  );
  const found = said(await example.report(files), back);
  return JSON.stringify(found) === JSON.stringify(expected)
    ? undefined
    : { expected, found, files };
}

/** The content of a report, in the names that a map leads back to. */
function said(report: LevelReport, back: ReadonlyMap<string, string>): readonly string[] {
  const named = (all: readonly string[]): string =>
    all
      .map((each) => {
        // Routines that share a name are told apart by what stands behind it.
        const behind = / \([^()]*\)(?: #\d+)?$/u.exec(each)?.[0] ?? "";
        const name = each.slice(0, each.length - behind.length);
        return (back.get(name) ?? name) + behind;
      })
      .sort()
      .join(", ");
  return [
    `verdict ${report.verdict}`,
    ...report.transactions.map(({ name }) => `transaction ${named([name])}`).sort(),
    ...report.anomalies
      .map((each) => `${each.severity} ${each.status}: ${named(each.transactions)}`)
      .sort(),
    ...report.unknown.map(({ transactions }) => `undecided: ${named(transactions)}`).sort(),
  ];
}

/** Variables of psql are words, and so are names that routines of MySQL are called by. */
function spellingOf(files: readonly SourceFile[], product: Product): Spelling {
  const isScript = files.some(({ text }) => /[^:]:\w/u.test(text));
  return isScript || product === "mysql" ? "word" : "quoted";
}

/** PostgreSQL cuts names at 63 bytes; triggers of both have rows called `new` and `old`. */
function isLegal(name: string, product: Product): boolean {
  if (Buffer.byteLength(name) > 63) return false;
  return product === "postgres" || !["new", "old"].includes(name);
}

/** True if libraries find a parameter of that name (`:name`) in a text: TypeORM, knex and Sequelize look for these letters alone. */
function isParameter(name: string): boolean {
  return /^\w+$/u.test(name);
}

/** True if a word is hardly anything but a column. */
function isTelling(word: string): boolean {
  return (
    word.includes("_") || (word.length > 2 && !["name", "value", "note", "text"].includes(word))
  );
}
