// XA statements of MySQL: transactions with names that a transaction manager gives.
import type { Lexeme } from "../../frontend/sql/dialects/reader";
import { failure } from "../sqlError";
import type { SqlXa, Xid } from "../statementTree";

const ACTIONS = new Map<string, "start" | "end" | "prepare" | "commit" | "rollback">([
  ["start", "start"],
  ["begin", "start"],
  ["end", "end"],
  ["prepare", "prepare"],
  ["commit", "commit"],
  ["rollback", "rollback"],
]);
const MOST_BYTES = 64;

/** The statement; undefined for what is none. Fails with 1398 where its name is none. */
export function xaStatement(lexemes: readonly Lexeme[]): SqlXa | undefined {
  const [, verb, ...rest] = lexemes.filter(({ word }) => word !== ";");
  if (verb?.word === "recover")
    return { kind: "xa", action: "recover", inHex: rest.at(-1)?.word === "xid" };
  const action = ACTIONS.get(verb?.word ?? "");
  if (action === undefined) return undefined;
  const end = rest.findIndex(({ kind }) => kind === "word");
  const [global, branch, format] = (end < 0 ? rest : rest.slice(0, end)).filter(
    ({ word, kind }) => kind === "string" || word !== ",",
  );
  if (global?.kind !== "string") return undefined;
  const xid: Xid = {
    format: format === undefined ? 1 : Number(format.word),
    global: bytesOf(global),
    branch: branch === undefined ? "" : bytesOf(branch),
  };
  if (xid.global.length > MOST_BYTES || xid.branch.length > MOST_BYTES)
    throw failure("syntax", "You have an error in your SQL syntax: a name is too long");
  const isOnePhase = rest.at(-1)?.word === "phase" && rest.at(-2)?.word === "one";
  return { kind: "xa", action, xid, isOnePhase };
}

/** A character for each byte. */
function bytesOf({ word, isBytes = false }: Lexeme): string {
  if (isBytes) return word;
  return Array.from(new TextEncoder().encode(word), (byte) => String.fromCharCode(byte)).join("");
}
