// The result of an idiom: edits, or the reason why there are none.
import type { TextEdit } from "../candidate";

export type EditOutcome =
  | { readonly ok: true; readonly edits: readonly TextEdit[] }
  | { readonly ok: false; readonly reason: string };

export function refusal(reason: string): EditOutcome {
  return { ok: false, reason };
}
