// The scenarios of the Hermitage project as PostgreSQL 15 and MariaDB 10.11 answered them, statement by statement: rows,
// counts, waiting, errors and the final state.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { freshValues } from "../../../server/src/store/freshValues";
import { advance, runOf, startServer, type Event } from "../../../server/src/store/server";
import { serializationProblem } from "../../../server/src/store/serializable";
import { renderValue, type SqlValue } from "../../../server/src/store/value";
import type { Server } from "../../../server/src/store/serverState";
import { readHermitage, type HermitageRun, type HermitageStep } from "./hermitageData";
import { instances, productOf, programOf, table } from "./programs";

for (const [label, product] of [
  ["PostgreSQL", "postgres"],
  ["MariaDB", "mariadb"],
] as const)
  describe(`Hermitage on ${label}`, () => {
    for (const recorded of readHermitage(product))
      it(`${recorded.name} at ${recorded.level}`, () => {
        check(recorded);
      });
  });

function check(recorded: HermitageRun): void {
  const steps = transactionSteps(recorded.steps);
  const sessions = [...new Set(steps.map((step) => step.session))];
  const server = start(sessions, steps, recorded.level);
  const failed = new Map<string, string>();
  // Whose statements came while they still waited: they go on as soon as they can.
  const late: string[] = [];
  const note = (events: readonly Event[]) => {
    for (const event of events)
      if (event.kind === "aborted") failed.set(event.instance, codeOf(event.why));
  };
  for (const step of steps) {
    const name = `T${sessions.indexOf(step.session) + 1}`;
    const session = server.sessions.get(name);
    if (session === undefined || session.ended !== undefined) continue;
    if (session.waiting !== undefined) {
      late.push(name);
      continue;
    }
    const events = advance(server, name);
    note(events);
    note(advanceLate(server, late));
    // PostgreSQL finds a deadlock after a second: both sessions were seen waiting.
    if (!(recorded.name === "Deadlock" && recorded.level.startsWith("postgres")))
      assert.equal(
        server.sessions.get(name)?.waiting !== undefined,
        step.blocked === true,
        `${step.sql}: waits`,
      );
  }
  compareAnswers(server, sessions, steps);
  compareErrors(recorded, server, sessions, steps, failed);
}

function advanceLate(server: Server, late: string[]): readonly Event[] {
  const ready = late.findIndex((name) => {
    const session = server.sessions.get(name);
    return session?.ended === undefined && session?.waiting === undefined;
  });
  const [name] = ready < 0 ? [] : late.splice(ready, 1);
  if (name === undefined) return [];
  return [...advance(server, name), ...advanceLate(server, late)];
}

/** Statements inside of the transactions: what a session does after its end is not part of them. */
function transactionSteps(steps: readonly HermitageStep[]): readonly HermitageStep[] {
  const ended = new Set<string>(["c"]);
  return steps.filter((step) => {
    if (ended.has(step.session)) return false;
    if (isEnd(step)) ended.add(step.session);
    return true;
  });
}

function isEnd(step: HermitageStep): boolean {
  return step.sql === "commit" || step.sql === "rollback";
}

function start(
  sessions: readonly string[],
  steps: readonly HermitageStep[],
  level: string,
): Server {
  const scripts = Object.fromEntries(
    sessions.map((session) => [
      `S${session}`,
      steps
        .filter((step) => step.session === session && !isEnd(step))
        .map((step) => `${step.sql};`)
        .join("\n"),
    ]),
  );
  const program = programOf(scripts, [table("test", { id: "int", value: "int" })]);
  const rolledBack = new Set(
    steps.filter((step) => step.sql === "rollback").map((step) => `S${step.session}`),
  );
  const transactions = program.transactions.map((each) => {
    assert.deepEqual(each.taint, []);
    if (!rolledBack.has(each.name)) return each;
    const rollback = { kind: "rollback", why: "ROLLBACK", source: each.source } as const;
    return { ...each, body: { kind: "sequence", commands: [each.body, rollback] } as const };
  });
  const setup = {
    instances: instances(...Object.keys(scripts)),
    initial: {
      test: [
        { id: 1, value: 10 },
        { id: 2, value: 20 },
      ],
    },
  };
  return startServer(
    { ...program, transactions },
    setup,
    () => productOf(level),
    freshValues(setup),
  );
}

function compareAnswers(
  server: Server,
  sessions: readonly string[],
  steps: readonly HermitageStep[],
): void {
  for (const session of sessions) {
    const executed = server.steps.filter(
      (each) =>
        each.instance === `T${sessions.indexOf(session) + 1}` && typeof each.statement === "number",
    );
    steps
      .filter((step) => step.session === session && !isEnd(step))
      .forEach((step, index) => {
        if (refused(step)) return;
        const answer = executed[index];
        assert.ok(answer !== undefined, `${step.sql}: not executed`);
        if (step.rows !== undefined) {
          const rows = answer.rows.map(rowText);
          assert.equal(rows.join(" "), step.rows, step.sql);
        }
        if (step.affected !== undefined)
          assert.equal(answer.affected, step.affected, `${step.sql}: rows`);
      });
  }
}

function codeOf(error: string): string {
  return error.split(" ")[0] ?? "";
}

function rowText(row: Readonly<Record<string, SqlValue>>): string {
  return ["id", "value"]
    .filter((column) => Object.hasOwn(row, column))
    .map((column) => renderValue(ownEntry(row, column) ?? null))
    .join("=>");
}

function refused(step: HermitageStep): boolean {
  return step.error !== undefined || step.skipped === true;
}

const SSI = "read/write dependencies";

/**
 * Errors of locks and versions come from the session itself. Those of SSI are found for the whole history, so that the
 * statement at which the server gives up is not compared.
 */
function compareErrors(
  recorded: HermitageRun,
  server: Server,
  sessions: readonly string[],
  steps: readonly HermitageStep[],
  failed: ReadonlyMap<string, string>,
): void {
  const errors = steps.filter((step) => step.error !== undefined);
  const plain = errors.filter((step) => !step.error?.includes(SSI));
  // Where SSI and a duplicate key both apply, the server names SSI and the store the key.
  if (recorded.name !== "DupKey")
    assert.deepEqual(
      [...failed].sort(),
      plain
        .map((step): [string, string] => [
          `T${sessions.indexOf(step.session) + 1}`,
          codeOf(step.error ?? ""),
        ])
        .sort(),
    );
  else assert.equal(failed.size, 1);
  const bySsi = plain.length < errors.length && recorded.name !== "DupKey";
  assert.equal(serializationProblem(runOf(server)) !== undefined, bySsi, "SSI");
  if (bySsi) return;
  const final = recorded.steps.findLast(
    (step) => step.session === "c" && step.sql === "select * from test order by id",
  );
  if (final?.rows === undefined) return;
  const rows = (server.newest.tables.get("test") ?? []).filter((row) => row.alive);
  assert.equal(rows.map((row) => rowText(row.values)).join(" "), final.rows);
}
