// The kinds in the order in which they are tried: the most specific name wins.
import { type CycleShape, rotated } from "../shape";
import { causalityViolation } from "./causalityViolation";
import { circularInformationFlow } from "./circularInformationFlow";
import { dirtyWrite } from "./dirtyWrite";
import type { AnomalyKind } from "./kind";
import { longFork } from "./longFork";
import { lostUpdate } from "./lostUpdate";
import { nonRepeatableRead } from "./nonRepeatableRead";
import { phantom } from "./phantom";
import { predicateWriteSkew } from "./predicateWriteSkew";
import { readOnlyAnomaly } from "./readOnlyAnomaly";
import { readSkew } from "./readSkew";
import { serializationAnomaly } from "./serializationAnomaly";
import { writeSkew } from "./writeSkew";

export const KINDS: readonly AnomalyKind[] = [
  dirtyWrite,
  lostUpdate,
  writeSkew,
  predicateWriteSkew,
  nonRepeatableRead,
  phantom,
  readSkew,
  readOnlyAnomaly,
  longFork,
  causalityViolation,
  circularInformationFlow,
  serializationAnomaly,
];

/** The first kind that some rotation of the cycle satisfies, with the cycle started there. */
export function classify(shape: CycleShape): {
  readonly kind: AnomalyKind;
  readonly shape: CycleShape;
} {
  for (const kind of KINDS) {
    for (let start = 0; start < Math.max(1, shape.edges.length); start++) {
      const turned = rotated(shape, start);
      if (kind.matches(turned)) return { kind, shape: turned };
    }
  }
  return { kind: serializationAnomaly, shape };
}
