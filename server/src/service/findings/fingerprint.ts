// Identity of an anomaly without places, layout and file names: its kind, its transactions and the texts of its statements.
import { createHash } from "node:crypto";
import { shownEdges, type Anomaly } from "../../protocol/report";

/** Parts of a finding, as a baseline keeps it. */
export interface FindingContent {
  readonly kind: string;
  /** Sorted, without the file that disambiguates equal names. */
  readonly transactions: readonly string[];
  /** Sorted, without repetition; see `plainStatement`. */
  readonly statements: readonly string[];
}

export function contentOf(anomaly: Anomaly): FindingContent {
  const ends = shownEdges(anomaly).flatMap(({ from, to }) => [from, to]);
  // An unconfirmed anomaly has no cycle; its steps identify it.
  const texts = (ends.length > 0 ? ends : anomaly.steps).map(({ text }) => plainStatement(text));
  return {
    kind: anomaly.kind,
    transactions: anomaly.transactions.map(plainName).sort(),
    statements: [...new Set(texts)].sort(),
  };
}

/** A transaction's name without the file that disambiguates equal names. */
export function plainName(name: string): string {
  return name.replace(/ \((?:[^()]|\([^()]*\))*\)(?=$| #\d+$)/u, "");
}

/** Sixteen hexadecimal digits; equal for equal content. */
export function fingerprintOf({ kind, transactions, statements }: FindingContent): string {
  return digestOf([kind, transactions, statements], 16);
}

/** The first hexadecimal digits of a hash of the parts. */
export function digestOf(parts: readonly (string | readonly string[])[], digits: number): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, digits);
}

/**
 * The normalised text of a statement: no comments, line breaks or extra spaces, lower case outside of quotes, one blank between tokens.
 * Linear in the text.
 */
export function plainStatement(text: string): string {
  return [...text.matchAll(TOKEN)]
    .map(([token]) => (/^["'`]/u.test(token) ? token : token.toLowerCase()))
    .filter((token) => !/^(?:--|\/\*|\/\/)/u.test(token))
    .join(" ")
    .replace(/(?: ;)+$/u, "");
}

// Comments, quoted text (where a quote is doubled or escaped to stand for itself), words, and single signs.
const TOKEN =
  /--(?=\s|$).*|\/\/.*|\/\*[^]*?\*\/|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`\\]|\\.)*`|[\p{L}\p{N}_$]+|[^\s]/gu;
