// Where the arguments of a statement stand: which column each is compared with or written to.
import { piecesOf, type Piece } from "../pieces";
import type { Protocol } from "../events";

export interface Hole {
  readonly column?: string;
  readonly where: "set" | "values" | "condition" | "other";
  /** Rows that the statement leaves or finds have this value in that column. */
  readonly isFixed?: boolean;
  /** It is added to the column or taken from it: `balance = balance - $1`. */
  readonly isChange?: boolean;
}

/** One entry for each `$n` of a recorded text, in their order. Linear in its length. */
export function holesOf(text: string, protocol: Protocol): readonly Hole[] {
  const pieces = piecesOf(
    text.replace(/\$(\d+)/g, " $$$1 "),
    protocol === "mysql" ? "mysql" : "postgres",
  );
  const holes: Hole[] = [];
  const columns = insertColumns(pieces);
  const isChoice = pieces.some(({ kind, text: word }) => kind === "word" && /^or$/i.test(word));
  let clause: Hole["where"] = "other";
  let item = 0;
  let depth = 0;
  for (const [at, piece] of pieces.entries()) {
    const word = piece.kind === "word" ? piece.text.toLowerCase() : piece.text;
    if (piece.kind === "word") {
      if (word === "set") clause = "set";
      else if (word === "values") [clause, item, depth] = ["values", 0, 0];
      else if (word === "where" || word === "having" || word === "on") clause = "condition";
      else if (word === "limit" || word === "offset" || word === "select" || word === "returning")
        clause = "other";
    }
    if (clause === "values") {
      if (word === "(" && depth++ === 0) item = 0;
      if (word === ")") depth--;
      if (word === "," && depth === 1) item++;
    }
    if (!isHole(pieces, at)) continue;
    const { column, isEqual, isChange } =
      clause === "values"
        ? { column: columns[item], isEqual: true, isChange: false }
        : columnBefore(pieces, at);
    const isFixed = isEqual && !(clause === "condition" && isChoice);
    holes.push({
      where: clause,
      ...(column !== undefined && { column }),
      ...(isFixed && { isFixed }),
      ...(isChange && { isChange }),
    });
  }
  return holes;
}

/** `$1` is one piece in PostgreSQL's spelling and may be several in MySQL's. */
function isHole(pieces: readonly Piece[], at: number): boolean {
  const piece = pieces[at];
  if (piece?.kind === "placeholder") return true;
  return piece?.text === "$" && pieces[at + 1]?.kind === "number";
}

/** The names between the parentheses of `INSERT INTO t (...)`. */
function insertColumns(pieces: readonly Piece[]): readonly string[] {
  const into = pieces.findIndex(({ text }) => /^into$/i.test(text));
  if (into < 0) return [];
  const open = pieces.findIndex(({ text }, at) => at > into && text === "(");
  const close = pieces.findIndex(({ text }, at) => at > open && text === ")");
  return open < 0
    ? []
    : pieces
        .slice(open + 1, close)
        .filter(isName)
        .map(nameOf);
}

/** `column = $1`, `"t"."column" >= $1`, also through parentheses and casts. */
function columnBefore(pieces: readonly Piece[], hole: number): Comparison {
  let at = listStart(pieces, hole) - 1;
  while (pieces[at]?.text === "(") at--;
  if (!COMPARES.test(pieces[at]?.text ?? "")) return NO_COMPARISON;
  let operator = "";
  for (; COMPARES.test(pieces[at]?.text ?? ""); at--)
    operator = `${pieces[at]?.text ?? ""}${operator}`;
  const piece = pieces[at];
  if (piece === undefined || !isName(piece)) return NO_COMPARISON;
  return {
    column: nameOf(piece),
    isEqual: operator === "=",
    isChange: operator === "+" || operator === "-",
  };
}

interface Comparison {
  readonly column: string | undefined;
  readonly isEqual: boolean;
  readonly isChange: boolean;
}

const NO_COMPARISON: Comparison = { column: undefined, isEqual: false, isChange: false };

/** The first hole of the list that one stands in: `column in ($1, $2)`. */
function listStart(pieces: readonly Piece[], hole: number): number {
  let at = hole;
  while (pieces[at - 1]?.text === ",") {
    const before = isHole(pieces, at - 2) ? at - 2 : at - 3;
    if (!isHole(pieces, before)) return hole;
    at = before;
  }
  const isList = pieces[at - 1]?.text === "(" && /^in$/i.test(pieces[at - 2]?.text ?? "");
  return isList ? at : hole;
}

const COMPARES = /^(?:[=<>!+-]|in|not|like)$/i;

function isName({ kind }: Piece): boolean {
  return kind === "word" || kind === "name";
}

/** A column's name as the server tells it. */
export function nameOf({ kind, text }: Piece): string {
  return kind === "name" ? text.slice(1, -1) : text.toLowerCase();
}
