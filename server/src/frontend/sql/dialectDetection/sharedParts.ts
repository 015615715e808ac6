// Mapping of commands and expressions that preserves shared parts.
import { ownEntry, setEntry } from "../../../protocol/dictionary";

/**
 * Maps a part bottom-up. `change` is called once per part, after its inner parts, and returns the part itself to keep it; unchanged parts
 * stay the same objects. Places in the text are skipped. Linear in the distinct parts.
 */
export function mapSharing<Part extends object>(
  part: Part,
  change: (part: object) => object,
): Part {
  const known = new Map<object, object>();
  const mapped = (each: object): object => {
    const before = known.get(each);
    if (before) return before;
    const own = change(withParts(each, mapped));
    known.set(each, own);
    return own;
  };
  // The same properties with values of the same types.
  return mapped(part) as Part;
}

/** The part with its inner parts mapped; itself if none changes. */
export function withParts(part: object, map: (inner: object) => object): object {
  if (Array.isArray(part)) return withItems(part, map);
  let changed: Record<string, unknown> | undefined;
  for (const key in part) {
    // Parts are plain records.
    const value = ownEntry(part as Readonly<Record<string, unknown>>, key);
    if (typeof value !== "object" || value === null || key === "source") continue;
    const own = map(value);
    if (own === value) continue;
    changed ??= { ...part };
    setEntry(changed, key, own);
  }
  return changed ?? part;
}

function withItems(items: readonly unknown[], map: (inner: object) => object): object {
  let changed: unknown[] | undefined;
  for (let at = 0; at < items.length; at += 1) {
    const value = items[at];
    if (typeof value !== "object" || value === null) continue;
    const own = map(value);
    if (own === value) continue;
    changed ??= [...items];
    changed[at] = own;
  }
  return changed ?? items;
}
