// The kinds in the order of recognition: the first that fits gives the name, so they go from the most specific definition to the most
// general. Patterns on one row come before patterns on two, a repeated condition before rows, two transactions before three. The kinds in
// which a transaction sees half of another differ by the order of the two halves. Dirty reads are only used for executions without a cycle,
// since a cycle exists without the dirty read too.
import { type CycleShape, rotate } from "../shape";
import { abortedRead } from "./abortedRead";
import { causalityViolation } from "./causalityViolation";
import { circularInformationFlow } from "./circularInformationFlow";
import { deadlock } from "./deadlock";
import { duplicateKey } from "./duplicateKey";
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
import { repeatedEffect } from "./repeatedEffect";
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

/** Kinds of refusals by the server: their outcome equals a serial order, or the server aborts them. */
export const REFUSAL_KINDS: readonly Kind[] = [
  deadlock,
  serializationFailure,
  duplicateKey,
  swallowedError,
  retryInTransaction,
  repeatedEffect,
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
