// RAISE: a notice, or an error with the fields that USING gives it.
import { tokensOf, type Token } from "../../frontend/sql/text/tokens";
import { failure, SqlFailure } from "../sqlError";
import { wireText } from "../values/format";
import { stateOf } from "./conditions";
import { evaluateList } from "./expressionList";
import type { Frame, Steps } from "./frame";

/** Carries out RAISE; `text` is what stands behind the level. */
export function* raise(frame: Frame, level: string, text: string): Steps<void> {
  const trimmed = text.trim().replace(/;$/, "");
  if (trimmed === "") {
    if (frame.error !== undefined) throw new SqlFailure(frame.error);
    throw failure("syntax", "RAISE without parameters cannot be used outside an exception handler");
  }
  const tokens = tokensOf(trimmed, 0, trimmed.length);
  const using = tokens.findIndex(({ word }) => word === "using");
  const head = (using < 0 ? trimmed : trimmed.slice(0, tokens[using]?.start)).trim();
  const fields = yield* optionsOf(frame, trimmed, using < 0 ? [] : tokens.slice(using + 1));
  const named = /^(?:sqlstate\s+'(\w{5})'|(\w+))$/i.exec(head);
  const state = named === null ? undefined : (named[1] ?? stateOf(named[2] ?? ""));
  const message =
    fields.get("message") ?? (named === null && head !== "" ? yield* formatted(frame, head) : head);
  if (level.toLowerCase() !== "exception") {
    frame.host.notice(level, message);
    return;
  }
  const given = fields.get("errcode");
  const code = (given === undefined ? state : (stateOf(given) ?? given)) ?? "P0001";
  const detail = fields.get("detail");
  const constraint = fields.get("constraint");
  const table = fields.get("table");
  throw new SqlFailure({
    ...failure("raised", message).error,
    code,
    ...(detail !== undefined && { detail }),
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
  });
}

/** The format with its arguments in place of its `%`. */
function* formatted(frame: Frame, list: string): Steps<string> {
  const { rows, columns } = yield* evaluateList(frame, list);
  const [format = "", ...values] = (rows[0] ?? []).map((value, at) =>
    value === null ? "<NULL>" : (wireText(value, columns[at]?.type ?? "text") ?? ""),
  );
  let at = 0;
  return format.replace(/%%|%/g, (mark) => (mark === "%%" ? "%" : (values[at++] ?? "")));
}

/** `errcode = 'P0002', message = ...`, each with the value of its expression. */
export function* optionsOf(
  frame: Frame,
  text: string,
  tokens: readonly Token[],
): Steps<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  let depth = 0;
  let first = 0;
  for (let at = 0; at <= tokens.length; at++) {
    const word = tokens[at]?.word ?? ",";
    if (word === "(") depth++;
    if (word === ")") depth--;
    if (word !== "," || depth > 0) continue;
    const [name, sign] = [tokens[first], tokens[first + 1]];
    if (name !== undefined && sign !== undefined) {
      const { rows, columns } = yield* evaluateList(frame, text.slice(sign.end, tokens[at]?.start));
      const cell = rows[0]?.[0] ?? null;
      fields.set(
        name.word,
        cell === null ? "" : (wireText(cell, columns[0]?.type ?? "text") ?? ""),
      );
    }
    first = at + 1;
  }
  return fields;
}
