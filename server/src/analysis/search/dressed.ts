// Models know texts only as equal or not. What they are called is decided behind the search: as their columns take
// them, so that a server takes them as well, and by the store, which runs everything once more under the new names.
import type { Levels } from "../../isolation/mixedLevels";
import type { Program } from "../../program/program";
import type { Takes } from "../../program/takes";
import { MADE_UUID, type Row, type Value } from "../../protocol/witness";
import type { Confirmation, Setup, WitnessPlan } from "../../store/execution";
import type { FlatProgram } from "../operations/operation";
import { takesOfArguments } from "./argumentTakes";
import { evidenceTables } from "./evidence";
import type { Finding } from "./unit";

interface Judging {
  readonly program: Program;
  readonly levels: Levels;
  readonly judge: (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;
}

/** The finding under names that its columns take, where the store shows the same with them; else as it is. */
export function dressed(finding: Finding, judging: Judging, flat: FlatProgram): Finding {
  const { confirmation, tables } = finding;
  if (confirmation.status !== "confirmed") return finding;
  const { program, levels, judge } = judging;
  const { witness } = confirmation;
  for (const setup of dressings(program, flat, witness)) {
    const plan = { ...setup, schedule: witness.schedule, tables, throughAll: true };
    const other = judge(program, levels, plan);
    const isSame =
      other.status === "confirmed" &&
      other.severity === confirmation.severity &&
      evidenceTables(other)?.join(" ") === evidenceTables(confirmation)?.join(" ");
    if (isSame) return { ...finding, confirmation: other };
  }
  return finding;
}

/**
 * The setup under names that its columns take, the best first; empty where it has such names. Texts of the program keep
 * theirs. Equal texts of one kind stay equal, different ones become different as far as there are labels.
 */
export function dressings(program: Program, flat: FlatProgram, setup: Setup): readonly Setup[] {
  const takesAt = placesOf(program, flat, setup);
  const texts = new Map<string, { readonly takes: Takes; readonly texts: Set<string> }>();
  const all = new Set<string>(flat.interned);
  replaced(setup, (place, text) => {
    all.add(text);
    const takes = takesAt(place);
    if (!takes) return text;
    const key = JSON.stringify(takes);
    const known = texts.get(key) ?? { takes, texts: new Set() };
    texts.set(key, known);
    if (!flat.interned.includes(text) && !fits(takes, text)) known.texts.add(text);
    return text;
  });
  const names = new Map<string, ReadonlyMap<string, string>>();
  for (const [key, { takes, texts: own }] of texts)
    if (own.size > 0) names.set(key, namesFor(takes, [...own].sort(), all));
  if (names.size === 0) return [];
  const under = (isMeant: (takes: Takes) => boolean): Setup =>
    replaced(setup, (place, text) => {
      const takes = takesAt(place);
      if (!takes || !isMeant(takes)) return text;
      return names.get(JSON.stringify(takes))?.get(text) ?? text;
    });
  const isFree = ({ kind }: Takes): boolean => kind !== "labels";
  const best = under(() => true);
  const kinds = [...texts.values()].map(({ takes }) => takes);
  return kinds.some(isFree) && !kinds.every(isFree) ? [best, under(isFree)] : [best];
}

type Place =
  | { readonly table: string; readonly column: string }
  | { readonly transaction: string; readonly argument: string };

function placesOf(
  { schema }: Program,
  flat: FlatProgram,
  { instances }: Setup,
): (place: Place) => Takes | undefined {
  const tables = new Map(schema.tables.map((table) => [table.name, table]));
  const started = new Set(instances.map(({ transaction }) => transaction));
  const byTransaction = new Map(
    flat.transactions
      .filter(({ id }) => started.has(id))
      .map((each) => [each.id, takesOfArguments(each, tables)]),
  );
  return (place) =>
    "table" in place
      ? tables.get(place.table)?.columns.find(({ name }) => name === place.column)?.takes
      : byTransaction.get(place.transaction)?.get(place.argument);
}

/** The setup with every text of arguments and rows as `name` says. */
function replaced(
  { instances, initial }: Setup,
  name: (place: Place, text: string) => string,
): Setup {
  const each = (values: Row, placeOf: (name: string) => Place): Record<string, Value> =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => [
        key,
        typeof value === "string" ? name(placeOf(key), value) : value,
      ]),
    );
  return {
    instances: instances.map((instance) => ({
      ...instance,
      arguments: each(instance.arguments, (argument) => ({
        transaction: instance.transaction,
        argument,
      })),
    })),
    initial: Object.fromEntries(
      Object.entries(initial).map(([table, rows]) => [
        table,
        rows.map((row) => each(row, (column) => ({ table, column }))),
      ]),
    ),
  };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

function fits(takes: Takes, text: string): boolean {
  switch (takes.kind) {
    case "uuid":
      return UUID.test(text);
    case "labels":
      return takes.labels.includes(text);
    case "length":
      return text.length <= takes.most;
    case "address":
      return /^[\d.]+$|:/u.test(text);
    case "hardware":
      return text.includes(":");
    case "clock":
      return /^\d+:\d+/u.test(text);
    case "interval":
      return /^\d/u.test(text);
  }
}

/** A name for each of the texts that nothing else has, in their order. */
function namesFor(
  takes: Takes,
  texts: readonly string[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  if (takes.kind === "labels") {
    const free = takes.labels.filter((label) => !taken.has(label));
    const all = [...free, ...takes.labels.filter((label) => taken.has(label))];
    // Where there are not enough, the last one stands for several: the store says whether that matters.
    return new Map(texts.map((text, at) => [text, all[at] ?? all.at(-1) ?? text]));
  }
  const names = candidates(takes);
  return new Map(
    texts.map((text) => {
      let next = names.next();
      while (next.done !== true && taken.has(next.value)) next = names.next();
      return [text, next.value ?? text];
    }),
  );
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];

function* candidates(takes: Exclude<Takes, { kind: "labels" }>): Generator<string, undefined> {
  if (takes.kind !== "length") {
    for (let at = 1; at < 10_000; at += 1) yield numbered(takes.kind, at);
    return undefined;
  }
  yield* LETTERS;
  if (takes.most > 1)
    for (const first of LETTERS) for (const second of LETTERS) yield `${first}${second}`;
  return undefined;
}

function numbered(kind: Exclude<Takes["kind"], "labels" | "length">, at: number): string {
  const digits = (value: number, width: number): string => String(value).padStart(width, "0");
  switch (kind) {
    case "uuid":
      return `${MADE_UUID}${digits(at, 12)}`;
    case "address":
      return `10.0.${String(at >> 8)}.${String(at & 0xff)}`;
    case "hardware":
      return `02:00:00:00:${(at >> 8).toString(16).padStart(2, "0")}:${(at & 0xff).toString(16).padStart(2, "0")}`;
    case "clock":
      return `${digits(Math.floor(at / 3600) % 24, 2)}:${digits(Math.floor(at / 60) % 60, 2)}:${digits(at % 60, 2)}`;
    case "interval":
      return `${String(at)} days`;
  }
}
