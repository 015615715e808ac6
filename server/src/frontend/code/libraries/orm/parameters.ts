// Named parameters in the text of a query.
import { unknown, type Value } from "../../values";
import { valueFragment, joinFragments, type Fragment } from "../builders/draft";
import type { Tools } from "../library";

/** The text with the values of its `:name` and `(:...names)`; `spread` is what stands before the name of a list. */
export function withParameters(
  parts: Fragment,
  values: ReadonlyMap<string, Value> | undefined,
  tools: Tools,
  { spread = ":..." }: { readonly spread?: string } = {},
): Fragment {
  return parts.flatMap((part): Fragment => {
    if (part.kind === "hole") return [part];
    const { run, file } = part;
    const pieces = run.text.split(/('[^']*'|(?<!:):(?:\.\.\.)?[A-Za-z_]\w*)/u);
    let at = 0;
    return pieces.flatMap((piece): Fragment => {
      const start = run.start < 0 || run.length !== undefined ? -1 : run.start + at;
      at += piece.length;
      const name = /^:(?:\.\.\.)?(\w+)$/u.exec(piece)?.[1];
      if (name === undefined) return [{ kind: "run", run: { text: piece, start }, file }];
      const value = values?.get(name) ?? unknown(`nothing is given for :${name}`);
      const items = piece.startsWith(spread) ? tools.items(value) : undefined;
      return items ? joinFragments(items.map(valueFragment), ", ") : valueFragment(value);
    });
  });
}
