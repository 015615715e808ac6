// The stated invariants that an execution breaks, and the state in which it does.
import type { Invariant, Program } from "../../program/program";
import { ownEntry } from "../../protocol/dictionary";
import type { Breach } from "../../protocol/report";
import type { Row } from "../../protocol/witness";
import type { Confirmation } from "../../store/execution";
import { standsOf, statedInvariants, type Rows, type Stand } from "../../store/totals";
import { toValue } from "../../store/value";
import type { Consequence } from "./consequence/consequence";
import { plainValue, rowName, sharedText } from "./consequence/nouns";
import { listText } from "./words";

/** The invariants that the final state breaks while the start and every serial order preserve them. */
export function breachesOf(program: Program, confirmation: Confirmation): readonly Breach[] {
  const { witness, serial, status } = confirmation;
  if (status !== "confirmed") return [];
  const kept = [witness.initial, ...serial.map(({ outcome }) => outcome.final)];
  const { final } = witness.outcome;
  return statedInvariants(program).flatMap((invariant): readonly Breach[] => {
    const broken = (rows: Rows): readonly Stand[] | undefined =>
      standsOf(program.schema, [invariant], rows)?.filter(({ isBroken }) => isBroken);
    const [first] = broken(final) ?? [];
    if (!first || !kept.every((rows) => broken(rows)?.length === 0)) return [];
    const { text, source } = invariant;
    return [
      {
        text,
        ...(source && { file: source.file, range: source.range }),
        how: howOf(program, first),
        state: final,
      },
    ];
  });
}

/** The consequence of a breach; undefined without one. */
export function consequenceOfBreach([first]: readonly Breach[]): Consequence | undefined {
  if (!first) return undefined;
  const how = first.how === "" ? "" : `: ${first.how}`;
  return { title: `The invariant "${first.text}" breaks${how}`, harm: "invariant" };
}

/** "2 against 1 for event 1". */
function howOf({ schema }: Program, { invariant, binding, sides }: Stand): string {
  const against = sides ? [`${plainValue(sides[0])} against ${plainValue(sides[1])}`] : [];
  const [relation] = invariant.relations;
  const row = rowOf(ownEntry(binding, relation?.alias ?? ""));
  const columns = columnsMeant(invariant);
  if (columns.length > 0) return [...against, sharedText(row, columns)].join(" ");
  const rows = invariant.relations.map(({ alias, table }) => {
    const key = schema.tables.find(({ name }) => name === table)?.primaryKey ?? [];
    return rowName(table, rowOf(ownEntry(binding, alias)), key);
  });
  return [...against, ...(rows.length > 0 ? [`for ${listText(rows)}`] : [])].join(" ");
}

/** The columns that the user named, on a row that only these columns select. */
function columnsMeant({ names = [], relations }: Invariant): readonly string[] {
  const [first] = relations;
  return first && first.alias !== first.table ? names.map(({ column }) => column) : [];
}

function rowOf(bound: Stand["binding"][string] | undefined): Row {
  const values = bound?.values ?? {};
  return Object.fromEntries(
    Object.keys(values).map((name) => [name, toValue(ownEntry(values, name) ?? null)]),
  );
}
