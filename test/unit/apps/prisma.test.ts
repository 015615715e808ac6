// The four shapes that break most often, written with the Prisma client: each is found, and each corrected twin is clean.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Program } from "../../../server/src/program/program";
import { programOf } from "../frontend/code/prismaPrograms";
import { analyseProgram, verdicts } from "../truth/analyse";

const FOLDER = path.join(__dirname, "../../apps/prisma-shapes");

function text(name: string): string {
  return readFileSync(path.join(FOLDER, name), "utf8");
}

/** The program of those of the app's functions that are named. */
async function functions(...names: readonly string[]): Promise<Program> {
  const files = ["client.ts", "invoices.ts", "members.ts", "items.ts"];
  const texts = Object.fromEntries(files.map((name) => [name, text(name)] as const));
  const program = await programOf(text("schema.prisma"), texts);
  const transactions = program.transactions.filter(({ name }) => names.includes(name));
  assert.equal(transactions.length, names.length);
  return { ...program, transactions };
}

/** The anomalies of these functions together at PostgreSQL's default level. */
async function check(names: readonly string[], ...expected: readonly string[]): Promise<void> {
  const report = await analyseProgram(await functions(...names), "postgres:read-committed", 2);
  assert.deepEqual(verdicts(report), expected, names.join());
  assert.deepEqual(report.unknown, [], names.join());
  for (const anomaly of report.anomalies) assert.equal(anomaly.status, "confirmed", anomaly.id);
}

test("the largest number and one, then an insertion", async () => {
  await check(["issueInvoice"], "issueInvoice+issueInvoice state");
  await check(["issueInvoiceLocked"]);
  await check(["issueInvoiceSerializable"]);
  await check(["issueReceipt"]);
});

test("a count below a limit, then an insertion", async () => {
  await check(["invite"], "invite+invite state");
  await check(["inviteLocked"]);
});

test("the last owner, then a deletion", async () => {
  await check(["leave"], "leave+leave state");
  await check(["leaveLocked"]);
});

test("a row that is read, changed in memory and saved", async () => {
  await check(["restock"], "restock+restock state");
  await check(["restockAtomically"]);
  await check(["restockVersioned"]);
});
