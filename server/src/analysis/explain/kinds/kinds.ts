// The kinds in the order in which they are tried. The first that fits is the name, so the order is from the most specific
// definition to the most general: patterns on one row before patterns on two, a repeated condition before rows, two
// transactions before three. Of the reads that one transaction sees half of, it is the order of both halves that tells them
// apart. A dirty read is asked about only where the execution has no cycle: a cycle is there without the dirty read too.
import { type CycleShape, rotate } from "../shape";
import { abortedRead } from "./abortedRead";
import { causalityViolation } from "./causalityViolation";
import { circularInformationFlow } from "./circularInformationFlow";
import { deadlock } from "./deadlock";
import { dirtyWrite } from "./dirtyWrite";
import { fracturedRead } from "./fracturedRead";
import { intermediateRead } from "./intermediateRead";
import type { AnomalyKind, Kind } from "./kind";
import { longFork } from "./longFork";
import { lostUpdate } from "./lostUpdate";
import { nonRepeatableRead } from "./nonRepeatableRead";
import { observedTransactionVanishes } from "./observedTransactionVanishes";
import { phantom } from "./phantom";
import { predicateManyPreceders } from "./predicateManyPreceders";
import { predicateWriteSkew } from "./predicateWriteSkew";
import { readOnlyAnomaly } from "./readOnlyAnomaly";
import { readSkew } from "./readSkew";
import { serializationAnomaly } from "./serializationAnomaly";
import { serializationFailure } from "./serializationFailure";
import { retryInTransaction } from "./retryInTransaction";
import { swallowedError } from "./swallowedError";
import { writeSkew } from "./writeSkew";

export const ANOMALY_KINDS: readonly AnomalyKind[] = [
  abortedRead,
  intermediateRead,
  dirtyWrite,
  lostUpdate,
  writeSkew,
  predicateWriteSkew,
  nonRepeatableRead,
  predicateManyPreceders,
  phantom,
  observedTransactionVanishes,
  fracturedRead,
  readOnlyAnomaly,
  longFork,
  causalityViolation,
  readSkew,
  circularInformationFlow,
  serializationAnomaly,
];

/** Kinds of refusals: what differs from no serial order, and which the server ends. */
export const REFUSAL_KINDS: readonly Kind[] = [
  deadlock,
  serializationFailure,
  swallowedError,
  retryInTransaction,
];

/** The kinds of all findings. */
export const KINDS: readonly Kind[] = [...ANOMALY_KINDS, ...REFUSAL_KINDS];

/** The first kind that some rotation of the cycle (or the dirty read) satisfies, with the cycle started there. */
export function classify(shape: CycleShape): {
  readonly kind: AnomalyKind;
  readonly shape: CycleShape;
} {
  if (shape.dirtyRead) {
    const kind = ANOMALY_KINDS.find((each) => each.of === "dirty-read" && each.matches(shape));
    return { kind: kind ?? serializationAnomaly, shape };
  }
  for (const kind of ANOMALY_KINDS) {
    if (kind.of !== "cycle") continue;
    for (let start = 0; start < Math.max(1, shape.edges.length); start++) {
      const turned = rotate(shape, start);
      if (kind.matches(turned)) return { kind, shape: turned };
    }
  }
  return { kind: serializationAnomaly, shape };
}
