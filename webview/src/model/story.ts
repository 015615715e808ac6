// One anomaly prepared for drawing: instances, steps with their lines, the cycle's edges between steps, values over time.
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { HistoryPlace, HistoryReason } from "../../../server/src/protocol/history";
import { shownEdges } from "../../../server/src/protocol/report";
import type { Anomaly, CycleEdge, Step, StepCell } from "../../../server/src/protocol/report";
import type { AnomalyPayload, Place } from "../../../server/src/protocol/requests";
import { argumentTexts, type Value } from "../../../server/src/protocol/witness";
import type { CycleEnd } from "../../../server/src/protocol/dependency";
import { cellText, rowText, valueText } from "./words";

export interface Story {
  readonly payload: AnomalyPayload;
  readonly instances: readonly StoryInstance[];
  readonly steps: readonly StoryStep[];
  readonly edges: readonly StoryEdge[];
  readonly cells: readonly CellHistory[];
}

export interface StoryInstance {
  /** "T1". */
  readonly name: string;
  readonly transaction: string;
  /** "acc 1, amount 60". */
  readonly arguments: string;
  /** Zero-based; selects the colour. */
  readonly index: number;
}

export interface StoryStep {
  readonly step: Step;
  readonly index: number;
  readonly instance: StoryInstance;
  readonly lines: readonly StepLine[];
  readonly place: Place | undefined;
}

/** One line of a step's card. */
export interface StepLine {
  readonly text: string;
  readonly kind: "read" | "write" | "other";
  readonly cell?: StepCell;
}

export interface StoryEdge {
  readonly index: number;
  readonly edge: CycleEdge;
  /** Indexes of steps; undefined if the witness has no such step. */
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** "account.balance". */
  readonly data: string;
  readonly sentence: string;
  readonly places: readonly Place[];
  /** Reasons for the sentence; of recorded runs only. */
  readonly because: readonly StoryReason[];
}

/** A sentence with the places that show it, and its supporting reasons. */
export interface StoryReason {
  readonly text: string;
  readonly places: readonly Place[];
  readonly because: readonly StoryReason[];
}

/** The values of a cell in the order of their writes, including those restored by a rollback. */
export interface CellHistory {
  readonly name: string;
  readonly versions: readonly {
    readonly value: string;
    /** Undefined for the initial value. */
    readonly writer?: StoryInstance;
    readonly step?: number;
    /** True if the writer rolled back, which restored this value. */
    readonly restored?: boolean;
  }[];
}

export function tellStory(payload: AnomalyPayload): Story {
  const { anomaly } = payload;
  const instances = instancesOf(payload);
  const steps = anomaly.steps.map((step, index): StoryStep => {
    const instance = instances.find((each) => each.name === step.instance);
    const stranger = { name: step.instance, transaction: "", arguments: "", index: 0 };
    return {
      step,
      index,
      instance: instance ?? stranger,
      lines: linesOf(step),
      place: placeOf(payload, step),
    };
  });
  return {
    payload,
    instances,
    steps,
    edges: shownEdges(anomaly).map((edge, index) => edgeOf(payload, edge, index)),
    cells: historiesOf(payload, steps),
  };
}

function instancesOf({ anomaly }: AnomalyPayload): readonly StoryInstance[] {
  return anomaly.witness.instances.map((each, index) => ({
    name: each.instance,
    transaction: each.transaction,
    arguments: argumentTexts(each, valueText).join(", "),
    index,
  }));
}

/** The effect of a step, one line per cell; in words if there is no cell. */
function linesOf(step: Step): readonly StepLine[] {
  const inserted = new Set(
    step.writes.filter((cell) => cell.column === "@" && cell.value === true).map(rowText),
  );
  const writes = step.writes.flatMap((cell): StepLine[] => {
    if (cell.column === "@") {
      const verb = cell.value === true ? "insert" : "delete";
      return [{ text: `${verb} ${rowText(cell)}`, kind: "write", cell }];
    }
    // Columns of an inserted row are listed below it.
    const name = inserted.has(rowText(cell)) ? `  .${cell.column}` : `write ${cellText(cell)}`;
    return [{ text: `${name} \u2190 ${valueText(cell.value)}`, kind: "write", cell }];
  });
  const written = new Set(step.writes.map(cellText));
  const changed = new Set(step.writes.map(rowText));
  const rowsWithValues = new Set(
    step.reads.filter((cell) => cell.column !== "@").map((cell) => rowText(cell)),
  );
  const reads = step.reads.flatMap((cell): StepLine[] => {
    if (written.has(cellText(cell))) return [];
    if (cell.column !== "@") {
      return [
        { text: `read ${cellText(cell)} \u2192 ${valueText(cell.value)}`, kind: "read", cell },
      ];
    }
    if (cell.value === true && (rowsWithValues.has(rowText(cell)) || changed.has(rowText(cell)))) {
      return [];
    }
    const found = cell.value === true ? "found" : "no row";
    return [{ text: `look for ${rowText(cell)} \u2192 ${found}`, kind: "read", cell }];
  });
  const lines = writes.length > 0 ? [...writes, ...reads.slice(0, 1)] : reads;
  return lines.length > 0 ? lines : [{ text: step.effect, kind: "other" }];
}

function placeOf(payload: AnomalyPayload, at: Pick<CycleEnd, "file" | "range">): Place | undefined {
  const uri = ownEntry(payload.uris, at.file);
  return uri === undefined ? undefined : { uri, range: at.range };
}

function edgeOf(payload: AnomalyPayload, edge: CycleEdge, index: number): StoryEdge {
  const places = [placeOf(payload, edge.from), placeOf(payload, edge.to)];
  return {
    index,
    edge,
    from: stepOf(payload, edge, "from"),
    to: stepOf(payload, edge, "to"),
    data: dataText(edge),
    sentence: edge.reason
      ? `${edge.from.instance} comes before ${edge.to.instance}: ${edge.reason.text}`
      : sentenceOf(payload.anomaly, edge),
    places: places.filter((place) => place !== undefined),
    because: edge.reason ? reasonOf(payload, edge.reason).because : [],
  };
}

function reasonOf(payload: AnomalyPayload, reason: HistoryReason): StoryReason {
  return {
    text: reason.text,
    places: reason.places.flatMap((place) => recordedPlace(payload, place) ?? []),
    because: reason.because.map((each) => reasonOf(payload, each)),
  };
}

/** A whole line of a recorded file; bytes of a binary file cannot be shown. */
function recordedPlace(payload: AnomalyPayload, { file, line }: HistoryPlace): Place | undefined {
  if (line === undefined) return undefined;
  const range = {
    start: { line: line - 1, character: 0 },
    end: { line: line - 1, character: 1000 },
  };
  return placeOf(payload, { file, range });
}

/** The step at an edge's end: the instance's statement, preferably the run of it that touched the data. */
function stepOf(
  { anomaly }: AnomalyPayload,
  edge: CycleEdge,
  side: "from" | "to",
): number | undefined {
  const end = edge[side];
  const candidates = anomaly.steps.flatMap((step, index) =>
    step.instance === end.instance && samePlace(step, end) ? [{ step, index }] : [],
  );
  const reads = edge.dependency === (side === "from" ? "rw" : "wr");
  const touching = candidates.find(({ step }) =>
    (reads ? step.reads : step.writes).some(
      (cell) =>
        cell.table === edge.table &&
        (edge.columns.length === 0 || edge.columns.includes(cell.column)),
    ),
  );
  return (touching ?? candidates[0])?.index;
}

function samePlace(
  a: Pick<CycleEnd, "file" | "range">,
  b: Pick<CycleEnd, "file" | "range">,
): boolean {
  const [p, q] = [a.range.start, b.range.start];
  return a.file === b.file && p.line === q.line && p.character === q.character;
}

function dataText({ table, columns }: CycleEdge): string {
  return columns.length === 1 ? `${table}.${columns[0] ?? ""}` : table;
}

function sentenceOf(anomaly: Anomaly, edge: CycleEdge): string {
  const { from, to } = edge;
  const columns =
    edge.columns.length > 1 ? `${edge.table} (${edge.columns.join(", ")})` : dataText(edge);
  if (edge === anomaly.dirtyRead) {
    const gone = anomaly.kind === "aborted-read" ? "rolled back" : "replaced itself";
    return `${to.instance} read what ${from.instance} wrote to ${columns} and then ${gone}`;
  }
  switch (edge.dependency) {
    case "rw":
      return `${from.instance} read ${columns} without what ${to.instance} wrote: ${from.instance} comes before ${to.instance}`;
    case "wr":
      return `${to.instance} read what ${from.instance} wrote to ${columns}: ${from.instance} comes before ${to.instance}`;
    case "ww":
      return `${to.instance} wrote ${columns} over what ${from.instance} wrote: ${from.instance} comes before ${to.instance}`;
    case "waits":
      return `${from.instance} waits for a lock on ${columns} that ${to.instance} has`;
    case "so":
      return `${to.instance} runs after ${from.instance} in the same session`;
  }
}

/** Limit of cells with a row of values. */
const MOST_CELLS = 6;

function historiesOf(
  { anomaly }: AnomalyPayload,
  steps: readonly StoryStep[],
): readonly CellHistory[] {
  const onCycle = new Set(shownEdges(anomaly).map((edge) => edge.table));
  const histories = new Map<
    string,
    { first: Value | undefined; versions: CellHistory["versions"][number][]; rank: number }
  >();
  for (const { step, index, instance } of steps) {
    if (step.statement === "rollback")
      for (const { first, versions } of histories.values()) {
        if (versions.at(-1)?.writer !== instance) continue;
        const kept = versions.findLast(({ writer }) => writer !== instance)?.value;
        const value = kept ?? (first === undefined ? undefined : valueText(first));
        if (value !== undefined)
          versions.push({ value, writer: instance, step: index, restored: true });
      }
    for (const cell of step.writes) {
      if (cell.column === "@") continue;
      const name = cellText(cell);
      const known = histories.get(name) ?? {
        first: cell.before,
        versions: [],
        rank: onCycle.has(cell.table) ? 0 : 1,
      };
      known.versions.push({ value: valueText(cell.value), writer: instance, step: index });
      histories.set(name, known);
    }
  }
  return [...histories]
    .sort(([, a], [, b]) => a.rank - b.rank || b.versions.length - a.versions.length)
    .slice(0, MOST_CELLS)
    .map(([name, { first, versions }]) => ({
      name,
      versions: [...(first === undefined ? [] : [{ value: valueText(first) }]), ...versions],
    }));
}
