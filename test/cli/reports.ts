// A report as the service gives it, for the reporters' tests: two withdrawals that both pass the same check.
import type { Anomaly, LevelReport, Step } from "../../server/src/protocol/report";
import type { Outcome } from "../../server/src/protocol/witness";

const FILE = "bank.sql";

function range(line: number) {
  return { start: { line, character: 2 }, end: { line, character: 40 } };
}

const SELECT = "SELECT balance INTO bal FROM account WHERE id = acc";
const UPDATE = "UPDATE account SET balance = bal - amount WHERE id = acc";

function outcome(balance: number, refused?: string): Outcome {
  const status = (instance: string): string =>
    instance === refused ? "rolled back: insufficient funds" : "committed";
  return {
    final: { account: [{ id: 1, owner: "ann", balance }] },
    status: { T1: status("T1"), T2: status("T2") },
    returned: { T1: [], T2: [] },
  };
}

function step(instance: string, line: number, text: string, effect: string, because: string): Step {
  const commits = effect.endsWith("commits");
  const place = { instance, file: FILE, range: range(line), text };
  return { ...place, effect, because, statement: commits ? 2 : 1, commits, reads: [], writes: [] };
}

const end = (instance: string, line: number, text: string) => ({
  instance,
  file: FILE,
  range: range(line),
  text,
});

export const LOST_UPDATE: Anomaly = {
  id: "7c1f00aa",
  kind: "lost-update",
  severity: "state",
  title: "A change is lost",
  harm: "amount",
  status: "confirmed",
  transactions: ["withdraw", "withdraw"],
  tables: ["account"],
  cycle: [
    {
      dependency: "rw",
      from: end("T2", 13, SELECT),
      to: end("T1", 16, UPDATE),
      table: "account",
      columns: ["balance"],
    },
    {
      dependency: "ww",
      from: end("T1", 16, UPDATE),
      to: end("T2", 16, UPDATE),
      table: "account",
      columns: ["balance"],
    },
  ],
  witness: {
    instances: [
      { instance: "T1", transaction: "withdraw", arguments: { acc: 1, amount: 60 } },
      { instance: "T2", transaction: "withdraw", arguments: { acc: 1, amount: 70 } },
    ],
    initial: { account: [{ id: 1, owner: "ann", balance: 100 }] },
    schedule: [
      { instance: "T1", statement: 1, sees: [] },
      { instance: "T2", statement: 1, sees: [] },
      { instance: "T1", statement: 2, sees: [] },
      { instance: "T1", statement: "commit", sees: [] },
      { instance: "T2", statement: 2, sees: ["T1"] },
      { instance: "T2", statement: "commit", sees: [] },
    ],
    outcome: outcome(30),
  },
  steps: [
    step("T1", 13, SELECT, "reads account[1].balance = 100", "nobody has written it yet"),
    step("T2", 13, SELECT, "reads account[1].balance = 100", "T1 has not committed"),
    step(
      "T1",
      16,
      UPDATE,
      "writes account[1].balance = 40 (was 100), commits",
      "its check still holds",
    ),
    step(
      "T2",
      16,
      UPDATE,
      "writes account[1].balance = 30 (was 40), commits",
      "what it read is stale, and the level does not look again",
    ),
  ],
  preventedBy: ["postgres:repeatable-read", "postgres:serializable"],
  allowedAt: ["postgres:read-committed"],
  serial: [
    { order: ["T1", "T2"], outcome: outcome(40, "T2") },
    { order: ["T2", "T1"], outcome: outcome(30, "T1") },
  ],
  message: "withdraw overwrites what another withdraw wrote after it read the balance.",
};

/** Three transactions, of which the middle one could not be executed. */
export const UNCONFIRMED: Anomaly = {
  ...LOST_UPDATE,
  id: "0badcafe",
  kind: "serialization-anomaly",
  status: "unconfirmed",
  severity: "value",
  reason: "a function is not known to the store",
  transactions: ["audit", "deposit", "withdraw"],
  tables: ["account", "audit_log"],
  cycle: [],
  steps: [],
  serial: [],
  preventedBy: [],
};

export function report(changes: Partial<LevelReport>): LevelReport {
  const transaction = { file: FILE, range: range(0), precision: "exact" } as const;
  return {
    tool: "isolens 0.1.0",
    formatVersion: 1,
    level: "postgres:read-committed",
    levels: {
      default: "postgres:read-committed",
      perTransaction: { withdraw: "postgres:read-committed", deposit: "postgres:read-committed" },
    },
    verdict: "anomaly",
    rests: { bound: 3 },
    transactions: [
      { name: "withdraw", ...transaction },
      { name: "deposit", ...transaction },
    ],
    anomalies: [LOST_UPDATE],
    unknown: [],
    assumptions: [],
    coverage: { statements: 3, exact: 3, over: 0, approx: 0, opaque: 0 },
    ...changes,
  };
}
