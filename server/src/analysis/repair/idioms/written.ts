// Result of an idiom: edits, or the reason why there are none.
import type { TextEdit } from "../candidate";

export type Written =
  | { readonly ok: true; readonly edits: readonly TextEdit[] }
  | { readonly ok: false; readonly reason: string };

export function refused(reason: string): Written {
  return { ok: false, reason };
}
