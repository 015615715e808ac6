// RAISE: a notice, or an error with the fields that USING gives it.
import { failure, SqlFailure } from "../sqlError";
import { wireText } from "../values/format";
import { stateOf } from "./conditions";
import { evaluated } from "./expressionList";
import type { Frame, Steps } from "./frame";

const OPTION =
  /\b(errcode|message|detail|hint|constraint|table|column|schema|datatype)\s*(?::=|=)/gi;

/** Carries out RAISE; `text` is what stands behind the level. */
export function* raise(frame: Frame, level: string, text: string): Steps<void> {
  const trimmed = text.trim().replace(/;$/, "");
  if (trimmed === "") {
    if (frame.error !== undefined) throw new SqlFailure(frame.error);
    throw failure("syntax", "RAISE without parameters cannot be used outside an exception handler");
  }
  const using = /\busing\b(?=[^']*(?:'[^']*'[^']*)*$)/i.exec(trimmed);
  const head = (using === null ? trimmed : trimmed.slice(0, using.index)).trim();
  const options = using === null ? "" : trimmed.slice(using.index + using[0].length);
  const fields = yield* optionsOf(frame, options);
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
  const { rows, columns } = yield* evaluated(frame, list);
  const [format = "", ...values] = (rows[0] ?? []).map((value, at) =>
    value === null ? "<NULL>" : (wireText(value, columns[at]?.type ?? "text") ?? ""),
  );
  let at = 0;
  return format.replace(/%%|%/g, (mark) => (mark === "%%" ? "%" : (values[at++] ?? "")));
}

function* optionsOf(frame: Frame, text: string): Steps<ReadonlyMap<string, string>> {
  const found = [...text.matchAll(OPTION)];
  const fields = new Map<string, string>();
  for (const [index, match] of found.entries()) {
    const from = match.index + match[0].length;
    const value = text
      .slice(from, found[index + 1]?.index)
      .trim()
      .replace(/,$/, "");
    const { rows, columns } = yield* evaluated(frame, value);
    const cell = rows[0]?.[0] ?? null;
    fields.set(
      (match[1] ?? "").toLowerCase(),
      cell === null ? "" : (wireText(cell, columns[0]?.type ?? "text") ?? ""),
    );
  }
  return fields;
}
