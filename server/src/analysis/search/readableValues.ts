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
import { placesOfTexts, type Place, type PlaceFacts } from "./textPlaces";
import type { Finding } from "./unit";

interface Judging {
  readonly program: Program;
  readonly levels: Levels;
  readonly judge: (program: Program, levels: Levels, plan: WitnessPlan) => Confirmation;
}

/**
 * The finding with readable texts, if the store shows the same anomaly with them. A text may have a meaning that nobody sees: if no variant
 * shows it, as many texts are replaced as leave it, one after the other.
 */
export function withReadableValues(finding: Finding, judging: Judging, flat: FlatProgram): Finding {
  if (finding.confirmation.status !== "confirmed") return withFittingTexts(finding, judging, flat);
  const { confirmation, tables } = finding;
  const { program, levels, judge } = judging;
  const { witness } = confirmation;
  const under = (setup: Setup): Finding | undefined => {
    const { past } = finding;
    const own = past ? { past } : {};
    const plan = { ...setup, schedule: witness.schedule, tables, throughAll: true, ...own };
    const other = judge(program, levels, plan);
    const isSame =
      other.status === "confirmed" &&
      other.severity === confirmation.severity &&
      evidenceTables(other)?.join(" ") === evidenceTables(confirmation)?.join(" ");
    return isSame ? { ...finding, confirmation: other } : undefined;
  };
  const dressing = dressingOf(program, flat, witness, lookOf);
  for (const setup of [...usualSetup(program, flat, witness), ...variantsOf(dressing)]) {
    const found = under(setup);
    if (found) return found;
  }
  let best = finding;
  const chosen = new Set<Renaming>();
  const { renamings } = dressing;
  for (const each of renamings.length > 1 ? renamings.slice(0, MOST_RENAMED) : []) {
    const found = under(dressing.under((other) => other === each || chosen.has(other)));
    if (!found) continue;
    best = found;
    chosen.add(each);
  }
  return best;
}

/** The finding with texts that fit their columns, if it can be executed with them alone: a CHECK may ask for a format. */
function withFittingTexts(
  finding: Finding,
  { program, levels, judge }: Judging,
  flat: FlatProgram,
): Finding {
  const { confirmation, tables, past } = finding;
  const { witness } = confirmation;
  for (const setup of dressings(program, flat, witness)) {
    const plan = { ...setup, schedule: witness.schedule, tables, ...(past && { past }) };
    const other = judge(program, levels, plan);
    if (other.status === "confirmed") return { ...finding, confirmation: other };
  }
  return finding;
}

/** Limit of runs with single texts replaced. */
const MOST_RENAMED = 16;

/** A text that is replaced wherever it occurs in values of one format. */
interface Renaming {
  readonly look: Look;
  readonly from: string;
  readonly to: string;
}

interface Dressing {
  /** The texts that do not fit, or that the program uses for something else. */
  readonly renamings: readonly Renaming[];
  /** The setup with the chosen ones replaced. */
  readonly under: (isChosen: (each: Renaming) => boolean) => Setup;
}

/**
 * Variants of the setup with texts that fit their columns, best first; empty if all fit already. A text of the program is kept where the
 * program means it. Equal texts of one format stay equal; different ones stay different as far as there are enough labels.
 */
export function dressings(program: Program, flat: FlatProgram, setup: Setup): readonly Setup[] {
  const variants = variantsOf(dressingOf(program, flat, setup, lookOf));
  return [...usualSetup(program, flat, setup), ...variants];
}

/** The setup in which texts without a meaning are the defaults of their columns; empty if it has none. */
function usualSetup(program: Program, flat: FlatProgram, setup: Setup): readonly Setup[] {
  let isUsual = false;
  const dressing = dressingOf(program, flat, setup, (facts) => {
    const look = lookOf(facts);
    if (facts.usual === undefined || !["text", "length"].includes(look.kind)) return look;
    isUsual = true;
    return { kind: "labels", labels: [facts.usual] };
  });
  return isUsual ? variantsOf(dressing).slice(0, 1) : [];
}

function dressingOf(
  program: Program,
  flat: FlatProgram,
  setup: Setup,
  lookAt: (facts: PlaceFacts) => Look,
): Dressing {
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
    const look = lookAt(factsOf(place));
    const key = JSON.stringify(look);
    const known = texts.get(key) ?? { look, texts: new Set() };
    texts.set(key, known);
    const isStrange = look.kind === "text" ? flat.interned.includes(text) : !fits(look, text);
    if (isStrange && !isMeant(place, text)) known.texts.add(text);
    return text;
  });
  const renamings = new Map<string, ReadonlyMap<string, Renaming>>();
  for (const [key, { look, texts: own }] of texts) {
    const names = [...namesFor(look, [...own].sort(), taken)];
    renamings.set(key, new Map(names.map(([from, to]) => [from, { look, from, to }])));
  }
  return {
    renamings: [...renamings.values()].flatMap((own) => [...own.values()]),
    under: (isChosen) =>
      replaced(setup, (place, text) => {
        if (isMeant(place, text)) return text;
        const renaming = renamings.get(JSON.stringify(lookAt(factsOf(place))))?.get(text);
        return renaming && isChosen(renaming) ? renaming.to : text;
      }),
  };
}

/** Labels may be too few, and an unknown function may give a text a meaning, so these formats are optional. */
function variantsOf({ renamings, under }: Dressing): readonly Setup[] {
  const looks = renamings.map(({ look }) => look);
  const optional = (["labels", "text"] as const).filter((kind) =>
    looks.some((look) => look.kind === kind),
  );
  const choices: readonly (readonly Look["kind"][])[] = [
    [],
    ...optional.map((kind) => [kind]),
    ...(optional.length > 1 ? [optional] : []),
  ];
  return choices
    .filter((without) => looks.some(({ kind }) => !without.includes(kind)))
    .map((without) => under(({ look }) => !without.includes(look.kind)));
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
