// All candidate fixes of an anomaly, cheapest kinds first.
import type { FixKind } from "../../protocol/fixes";
import type { Proposals } from "./candidate";
import { advisoryLocks } from "./kinds/advisoryLock";
import { anchorLocks } from "./kinds/anchorLock";
import { guardedUpdates } from "./kinds/guardedUpdate";
import { lockOrders } from "./kinds/lockOrder";
import { oneTransactions } from "./kinds/oneTransaction";
import { ownConnections } from "./kinds/ownConnection";
import { raisedLevels } from "./kinds/raisedLevel";
import { retryLoops } from "./kinds/retryLoop";
import { rowLocks } from "./kinds/rowLock";
import { uniqueKeys } from "./kinds/uniqueKey";
import { versionChecks } from "./kinds/versionCheck";
import type { Workshop } from "./workshop";

type Proposer = (workshop: Workshop) => Proposals;

const PROPOSERS: readonly (readonly [FixKind, Proposer])[] = [
  ["own-connection", ownConnections],
  ["guarded-update", guardedUpdates],
  ["version-check", versionChecks],
  ["unique-key", uniqueKeys],
  ["row-lock", rowLocks],
  ["anchor-lock", anchorLocks],
  ["advisory-lock", advisoryLocks],
  ["one-transaction", oneTransactions],
  ["raised-level", raisedLevels],
];

/** Fixes of what the server refuses: it breaks no data, so that none of the others is about it. */
const AGAINST_REFUSALS: readonly (readonly [FixKind, Proposer])[] = [
  ["lock-order", lockOrders],
  ["retry-loop", retryLoops],
];

/** Candidates and refusals of these kinds (all by default), in the order of their cost. */
export function proposeFixes(workshop: Workshop, kinds?: readonly FixKind[]): Proposals {
  const own = workshop.anomaly.severity === "refused" ? AGAINST_REFUSALS : PROPOSERS;
  const all = own
    .filter(([kind]) => kinds?.includes(kind) ?? true)
    .map(([, propose]) => propose(workshop));
  return {
    candidates: all.flatMap(({ candidates }) => candidates),
    refusals: all.flatMap(({ refusals }) => refusals),
  };
}
