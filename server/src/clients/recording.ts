// An explored history in the history checker's form, to be judged, explained and saved: a key per row, and a version per write.
import type { Key, Value } from "../exploration/client";
import { INITIAL, OWN, type History as Explored } from "../exploration/history";
import { HistoryBuilder } from "../history/builder";
import { ABORTED, READ, WRITE, type History } from "../history/history";
import { rowText } from "../analysis/explain/words";
import { partsOfKey, plainRow } from "./rowKeys";

/** The name of a row in histories and for people: `account[1]`. */
export function keyName(key: Key): string {
  const { table, row } = partsOfKey(key);
  return rowText(table, row);
}

/**
 * The history for the checker. `names` are the transactions' names. With `final`, which has the last writer of each key, a last transaction
 * reads the final state.
 */
export function clientHistory(
  { transactions }: Explored,
  names: (id: number) => string,
  final?: ReadonlyMap<Key, number>,
): History {
  const builder = new HistoryBuilder({ zeroIsInitial: false, placeUnit: "line" });
  const versions = versionNames({ transactions }, names);
  const ordered = [...transactions].sort((a, b) => a.id - b.id);
  for (const { id, session, events, status } of ordered) {
    const own = builder.textTransaction(
      builder.textSession(`session ${String(session + 1)}`),
      names(id),
    );
    if (status === "aborted") builder.setStatus(own, ABORTED);
    let writes = 0;
    for (const event of events) {
      const key = builder.textKey(keyName(event.key));
      if (event.kind === "write") {
        writes += 1;
        const version = versions.get(`${String(id)} ${String(writes)}`) ?? "";
        builder.add(WRITE, own, key, builder.textVersion(key, version), id);
        continue;
      }
      if (event.from === OWN) continue;
      const version =
        event.from === INITIAL
          ? builder.initialVersion(key)
          : builder.textVersion(key, versions.get(lastOf(event.from, event.key)) ?? "");
      builder.add(READ, own, key, version, id);
    }
  }
  if (final !== undefined) {
    const reader = builder.textTransaction(builder.textSession("end"), "end");
    for (const [name, writer] of final) {
      const key = builder.textKey(keyName(name));
      const version =
        writer === INITIAL
          ? builder.initialVersion(key)
          : builder.textVersion(key, versions.get(lastOf(writer, name)) ?? "");
      builder.add(READ, reader, key, version, 0);
    }
  }
  return builder.finish();
}

function lastOf(id: number, key: Key): string {
  return `${String(id)} last ${key}`;
}

/** A text for each write, unique per key: the row, with its writer if necessary. */
function versionNames(
  { transactions }: Explored,
  names: (id: number) => string,
): ReadonlyMap<string, string> {
  const versions = new Map<string, string>();
  const used = new Map<Key, Set<string>>();
  for (const { id, events } of transactions) {
    let writes = 0;
    for (const event of events) {
      if (event.kind !== "write") continue;
      writes += 1;
      const taken = used.get(event.key) ?? new Set();
      used.set(event.key, taken);
      const text = contentText(event.value);
      const candidates = [
        text,
        `${text} by ${names(id)}`,
        `${text} by ${names(id)}, write ${String(writes)}`,
      ];
      const name =
        candidates.find((each) => !taken.has(each)) ?? `${text} ${String(id)} ${String(writes)}`;
      taken.add(name);
      versions.set(`${String(id)} ${String(writes)}`, name);
      versions.set(lastOf(id, event.key), name);
    }
  }
  return versions;
}

function contentText(value: Value): string {
  const row = plainRow(value);
  if (row === undefined) return value === undefined ? "no row" : JSON.stringify(value);
  return Object.entries(row)
    .map(([column, cell]) => `${column} ${cell === null ? "NULL" : String(cell)}`)
    .join(", ");
}
