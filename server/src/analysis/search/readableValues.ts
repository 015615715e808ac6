// Readable texts for witnesses. Models only distinguish equal and different texts, and use any text of the program for any other. The final
// texts are chosen after the search: in the format of their columns, so that a server accepts them, and checked by the store, which runs
// everything again with them.
import type { Levels } from "../../isolation/mixedLevels";
import type { Program } from "../../program/program";
import type { Row, Value } from "../../protocol/witness";
import type { Confirmation, Setup, WitnessPlan } from "../../store/execution";
import type { FlatProgram } from "../operations/operation";
import { evidenceTables } from "./evidence";
import { fits, lookOf, namesFor, type Look } from "./looks";
import { placesOfTexts, type Place } from "./textPlaces";
import type { Finding } from "./unit";

interface Judging {
  readonly program: Program;
  readonly levels: Levels;
  readonly judge: (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;
}

/** The finding with readable texts, if the store shows the same anomaly with them; else unchanged. */
export function withReadableValues(finding: Finding, judging: Judging, flat: FlatProgram): Finding {
  const { confirmation, tables } = finding;
  if (confirmation.status !== "confirmed") return finding;
  const { program, levels, judge } = judging;
  const { witness } = confirmation;
  for (const setup of dressings(program, flat, witness)) {
    const { past } = finding;
    const own = past ? { past } : {};
    const plan = { ...setup, schedule: witness.schedule, tables, throughAll: true, ...own };
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
 * Variants of the setup with texts that fit their columns, best first; empty if all fit already. A text of the program is kept where the
 * program means it. Equal texts of one format stay equal; different ones stay different as far as there are enough labels.
 */
export function dressings(program: Program, flat: FlatProgram, setup: Setup): readonly Setup[] {
  const factsOf = placesOfTexts(
    flat,
    program.schema,
    new Set(setup.instances.map(({ transaction }) => transaction)),
  );
  const texts = new Map<string, { readonly look: Look; readonly texts: Set<string> }>();
  const taken = new Set<string>(flat.interned);
  const isMeant = (place: Place, text: string): boolean =>
    flat.interned.includes(text) && factsOf(place).meets.has(text);
  replaced(setup, (place, text) => {
    taken.add(text);
    const look = lookOf(factsOf(place));
    const key = JSON.stringify(look);
    const known = texts.get(key) ?? { look, texts: new Set() };
    texts.set(key, known);
    const isStrange = look.kind === "text" ? flat.interned.includes(text) : !fits(look, text);
    if (isStrange && !isMeant(place, text)) known.texts.add(text);
    return text;
  });
  const names = new Map<string, ReadonlyMap<string, string>>();
  const looks: Look[] = [];
  for (const [key, { look, texts: own }] of texts) {
    if (own.size === 0) continue;
    looks.push(look);
    names.set(key, namesFor(look, [...own].sort(), taken));
  }
  const under = (without: readonly Look["kind"][]): Setup =>
    replaced(setup, (place, text) => {
      const look = lookOf(factsOf(place));
      if (without.includes(look.kind) || isMeant(place, text)) return text;
      return names.get(JSON.stringify(look))?.get(text) ?? text;
    });
  // Labels may be too few, and an unknown function may give a text a meaning, so these formats are optional.
  const optional = (["labels", "text"] as const).filter((kind) =>
    looks.some((look) => look.kind === kind),
  );
  const choices = [
    [],
    ...optional.map((kind) => [kind]),
    ...(optional.length > 1 ? [optional] : []),
  ];
  return choices
    .filter((without) => looks.some((look) => !without.some((kind) => kind === look.kind)))
    .map(under);
}

/** The setup with every text of arguments and rows replaced by `name`. */
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
