// Recorded histories over the built server: judged in a thread of its own, marked in the file, shown as an anomaly,
// forgotten after an edit; a file that is damaged gets a mark where it is.
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { AnomalyPayload, HistorySummary } from "../../server/src/protocol/requests";
import { root, withServerProcess } from "./client";

const ask = (
  server: Parameters<Parameters<typeof withServerProcess>[2]>[0],
  file: string,
): Promise<HistorySummary> =>
  server.client.sendRequest("isolens/checkHistory", { uri: server.uri(file) });

test("a recorded history", { timeout: 120_000 }, async () => {
  await withServerProcess("stdio", "bank", async (server) => {
    const { client, folder } = server;
    const file = "lost-update.txt";
    copyFileSync(path.join(root, "test", "data", "histories", file), path.join(folder, file));
    const summary = await ask(server, file);
    assert.equal(summary.message, "violates parallel snapshot isolation: lost update");
    assert.deepEqual(
      summary.verdicts.map(({ verdict }) => verdict),
      ["ok", "ok", "ok", "violated", "violated", "violated"],
    );
    const marks = await server.diagnostics(file, (all) => all.length > 0);
    const lines = marks.map(({ range }) => range.start.line + 1).sort((a, b) => a - b);
    assert.deepEqual(lines, [1, 4, 5, 6, 7]);
    const main = marks.find(({ severity }) => severity === 2);
    assert.equal(main?.code, "lost-update");
    assert.equal(main.range.start.line, 5);
    assert.match(main.relatedInformation?.[0]?.message ?? "", /^1\/5 T1 /u);

    const payload: AnomalyPayload | null = await client.sendRequest("isolens/anomaly", {
      id: summary.violation,
    });
    assert.equal(payload?.title, "Lost update");
    assert.equal(payload.recorded?.verdicts.length, 6);
    assert.deepEqual(payload.anomaly.transactions, ["T2", "T3", "T1"]);
    assert.ok(payload.anomaly.cycle.every(({ reason }) => reason !== undefined));
    assert.deepEqual(Object.values(payload.uris), [server.uri(file)]);

    await client.sendRequest("isolens/forgetHistory", { uri: server.uri(file) });
    await server.diagnostics(file, (all) => all.length === 0);
    assert.equal(await client.sendRequest("isolens/anomaly", { id: summary.violation }), null);

    writeFileSync(path.join(folder, "broken.txt"), "w(1,1,1,1)\nr(1,1\n");
    const broken = await ask(server, "broken.txt");
    assert.match(broken.message, /^not read: broken\.txt, line 2: expected r\(key,/u);
    assert.deepEqual(broken.verdicts, []);
    const [mark] = await server.diagnostics("broken.txt", (all) => all.length > 0);
    assert.equal(mark?.range.start.line, 1);

    writeFileSync(path.join(folder, "notes.txt"), "nothing\n");
    assert.match((await ask(server, "notes.txt")).message, /this is no recorded history/u);
    assert.match((await ask(server, "missing.txt")).message, /no such file/u);
    assert.equal(await server.end(), 0);
  });
});
