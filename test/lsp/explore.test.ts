// Client programs over the built server: explored in a thread of their own, marked at their assertions, shown as an anomaly,
// forgotten after an edit; mistakes are marked where they are.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { toInitializationOptions } from "../../server/src/lsp/fromLsp";
import type { AnomalyPayload, ExplorationSummary } from "../../server/src/protocol/requests";
import { withServerProcess } from "./client";

const CLIENT = `{
  "initial": { "account": [{ "id": 1, "owner": "a", "balance": 100 }] },
  "sessions": [[["withdraw", 1, 60]], [["withdraw", 1, 70]]],
  "assert": [
    "not (committed(s1[0]) and committed(s2[0]))"
  ]
}
`;

test("a client program", { timeout: 120_000 }, async () => {
  await withServerProcess("stdio", "bank", async (server) => {
    const { client, folder } = server;
    const explore = (file: string, level: string): Promise<ExplorationSummary> =>
      client.sendRequest("isolens/explore", { uri: server.uri(file), level });
    writeFileSync(path.join(folder, "two.client.json"), CLIENT);
    const summary = await explore("two.client.json", "causal");
    assert.equal(summary.message, "1 assertion fails at causal consistency, found in 3 executions");
    const marks = await server.diagnostics("two.client.json", (all) => all.length > 0);
    assert.deepEqual(
      marks.map(({ code, range }) => [code, range.start.line]),
      [["lost-update", 4]],
    );
    const payload: AnomalyPayload | null = await client.sendRequest("isolens/anomaly", {
      id: summary.violations[0],
    });
    assert.equal(payload?.title, "Lost update");
    assert.equal(payload.anomaly.steps.length, 4);
    assert.deepEqual(Object.values(payload.uris), [server.uri("bank.sql")]);

    await client.sendRequest("isolens/forgetExploration", { uri: server.uri("two.client.json") });
    await server.diagnostics("two.client.json", (all) => all.length === 0);

    const safe = await explore("two.client.json", "serializable");
    assert.equal(safe.message, "the assertion holds in all 2 executions at serializability");
    assert.deepEqual(safe.violations, []);

    writeFileSync(path.join(folder, "wrong.client.json"), CLIENT.replace("withdraw", "withdrew"));
    const wrong = await explore("wrong.client.json", "causal");
    assert.match(wrong.message, /^not explored: there is no transaction "withdrew"/u);
    const [mark] = await server.diagnostics("wrong.client.json", (all) => all.length > 0);
    assert.equal(mark?.range.start.line, 2);
    assert.equal(await server.end(), 0);
  });
});

/** Says who ran it, on the disk and to whoever reads the mark. */
const CODE = `require("node:fs").writeFileSync(__dirname + "/ran", "");
exports.schema = "create table t (id int primary key)";
exports.sessions = [[async (db) => { await db.query("select 1"); }]];
exports.assert = ["committed(s1[0])"];
`;

test("a client program of a workspace that is not trusted", { timeout: 120_000 }, async () => {
  assert.equal(toInitializationOptions({ trusted: false }).trusted, false);
  assert.equal(toInitializationOptions({ trusted: "yes" }).trusted, false);
  assert.equal(toInitializationOptions({}).trusted, true);
  await withServerProcess("stdio", "bank", async (server) => {
    const { client, folder } = server;
    writeFileSync(path.join(folder, "code.client.cjs"), CODE);
    const explore = (): Promise<ExplorationSummary> =>
      client.sendRequest("isolens/explore", { uri: server.uri("code.client.cjs") });
    await client.sendNotification("isolens/trust", { trusted: false });
    const { message, violations } = await explore();
    assert.match(message, /^not explored: .* this workspace is not trusted/u);
    assert.deepEqual(violations, []);
    assert.ok(!existsSync(path.join(folder, "ran")));
    await client.sendNotification("isolens/trust", { trusted: true });
    assert.doesNotMatch((await explore()).message, /not trusted/u);
    assert.equal(await server.end(), 0);
  });
});
