// PREPARE and EXECUTE: the SQL in a literal is read normally; text built at run time is unknown.
import type { Expression } from "../../../program/expression";
import { readCanonical } from "../text/canonical";
import { plainText } from "../text/escapes";
import { indexLines } from "../text/lines";
import { plainPiece, type SqlPiece } from "../lowering";
import { preLex } from "../text/preLex";
import type { Span } from "../text/split";
import { stringOf, tokensOf } from "../text/tokens";
import { mayFail } from "./handlers";
import { runOpaque, runSql, valueAt } from "./run";
import type { Run, State } from "./state";
import { assignedBy, someStatement, type RoutineStatement } from "./tree";

type Statement<Kind extends RoutineStatement["kind"]> = Extract<
  RoutineStatement,
  { readonly kind: Kind }
>;

/** PREPARE name FROM text: remembers the place of the text, if known. */
export function prepare(state: State, statement: Statement<"prepare">): void {
  state.prepared.set(statement.name, textBehind(state, statement.from));
}

/** EXECUTE name USING ... */
export function execute(state: State, statement: Statement<"execute">, run: Run): void {
  runText(state, state.prepared.get(statement.name), statement, run);
}

/** EXECUTE IMMEDIATE text USING ... */
export function runImmediate(
  state: State,
  statement: Statement<"executeImmediate">,
  run: Run,
): void {
  runText(state, textBehind(state, statement.from), statement, run);
}

/** The literal of an expression: itself, or the value of a user variable's only SET. */
function textBehind(state: State, span: Span): Span | undefined {
  const { text } = state.body;
  const [first, second, ...others] = tokensOf(text, span.start, span.end);
  if (first?.kind === "string" && second === undefined) return first;
  if (first?.word !== "@" || second === undefined || others.length > 0) return undefined;
  const name = text.slice(first.start, second.end).toLowerCase();
  const values: Span[] = [];
  let changes = 0;
  someStatement(state.tree, (each) => {
    if (each.kind === "set") {
      for (const { target, value } of each.items) if (target.path[0] === name) values.push(value);
    } else if (assignedBy(each, text).includes(name)) {
      changes++;
    }
    return false;
  });
  const [only] = values;
  if (only === undefined || values.length > 1 || changes > 0) return undefined;
  const [token, ...more] = tokensOf(text, only.start, only.end);
  return token?.kind === "string" && more.length === 0 ? token : undefined;
}

function runText(
  state: State,
  literal: Span | undefined,
  statement: Statement<"execute" | "executeImmediate">,
  run: Run,
): void {
  const { span } = statement;
  if (literal === undefined) {
    const words = tokensOf(state.body.text, 0, state.body.text.length)
      .filter((token) => token.kind === "string")
      .map((token) => plainText(stringOf(state.body.text, token)))
      .join(" ");
    const reason = "the text of this statement is put together when it runs";
    mayFail(state, span, () => runOpaque(state, words, reason, span), run);
    return;
  }
  const values = statement.using.map((each): Expression => valueAt(state, each, span));
  runSql(state, span, run, {
    piece: pieceOfText(state, literal, span),
    placeholder: (number) => values[number - 1],
  });
}

/** The text of a literal as a piece: positions are those of the literal; it is displayed as the EXECUTE. */
function pieceOfText(state: State, literal: Span, span: Span): SqlPiece {
  const { body } = state;
  const [token] = tokensOf(body.text, literal.start, literal.end);
  const text = token === undefined ? "" : plainText(stringOf(body.text, token));
  const canonical = readCanonical(text, state.dialect).text;
  const inner = indexLines(body.lines.file, canonical);
  const end = canonical.replace(/[\s;]+$/, "").length;
  const { piece } = preLex(inner, 0, end);
  const shown = plainPiece(body.lines, body.toFile(span.start), body.toFile(span.end));
  return { ...shown, sql: piece.sql, toFile: () => body.toFile(literal.start) };
}
