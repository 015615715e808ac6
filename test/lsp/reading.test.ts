// The built server while a large workspace is read: it answers, tells how far it has come and what it finds in an open file,
// stops when it is told, and goes on from there.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { Diagnostic } from "vscode-languageserver-protocol/node";
import type { CheckSummary, ServerStatus } from "../../server/src/protocol/requests";
import { withServerProcess } from "./client";

const FILES = 240;

const take = (name: string): string => `export async function ${name}(id: number, amount: number) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
    for (const row of rows) if (row.balance < amount) throw new Error("not enough");
    await client.query("UPDATE account SET balance = balance - $1 WHERE id = $2", [amount, id]);
    await client.query("COMMIT");
  } finally {
    client.release();
  }
}
`;

test(
  "a workspace that takes long to read blocks nothing and can be stopped",
  { timeout: 300_000 },
  async () => {
    await withServerProcess("stdio", "bank", async (server) => {
      const { client, folder } = server;
      const head = `import { Pool } from "pg";\nconst pool = new Pool();\n`;
      mkdirSync(path.join(folder, "src"));
      for (let at = 0; at < FILES; at += 1) {
        const own = Array.from({ length: 10 }, (_, n) => take(`take${String(at)}_${String(n)}`));
        writeFileSync(path.join(folder, `src/part${String(at)}.ts`), head + own.join(""));
      }
      const statuses: ServerStatus[] = [];
      const waiting = new Set<() => void>();
      client.onNotification("isolens/status", (status: ServerStatus) => {
        statuses.push(status);
        for (const look of waiting) look();
      });
      const status = (condition: (status: ServerStatus) => boolean): Promise<void> => {
        const from = statuses.length;
        return new Promise((resolve) => {
          const look = (): void => {
            if (!statuses.slice(from).some(condition)) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
        });
      };
      const isReading = ({ health, progress }: ServerStatus): boolean =>
        health === "busy" &&
        progress?.unit === "files" &&
        progress.total === FILES &&
        progress.done < FILES / 2;
      const summaries = (): Promise<readonly CheckSummary[]> =>
        client.sendRequest("isolens/summaries", {});

      // The one that would be read last.
      const file = "src/part99.ts";
      const uri = server.uri(file);
      const text = head + take("mine");
      const reading = status(isReading);
      await client.sendNotification("textDocument/didOpen", {
        textDocument: { uri, languageId: "typescript", version: 1, text },
      });
      await reading;
      // It answers before anything is known, and says nothing then.
      assert.deepEqual(await summaries(), []);

      const isOfMine = ({ relatedInformation = [] }: Diagnostic): boolean =>
        relatedInformation.some(({ location }) => location.uri === uri);
      await server.diagnostics(file, (all) => all.some(isOfMine));
      const last = statuses.at(-1);
      assert.ok(last && isReading(last), JSON.stringify(last));

      const kept = status(({ health, unknown }) => health !== "busy" && unknown > 0);
      const stopped = status(({ health }) => health !== "busy");
      const cancelled: number = await client.sendRequest("isolens/cancel", {});
      assert.equal(cancelled, 1);
      await stopped;
      // Findings are kept, and that something is missing is said.
      await kept;
      assert.ok((await server.diagnostics(file, () => true)).some(isOfMine));
      const [summary] = await summaries();
      assert.equal(summary?.verdict, "anomaly");
      assert.ok(summary.unknown.some(({ reason }) => reason === "cancelled"));

      // An edit while it reads begins again.
      const again = status(isReading);
      await client.sendNotification("textDocument/didChange", {
        textDocument: { uri, version: 2 },
        contentChanges: [{ text: `${text}\n` }],
      });
      await again;
      const ended = status(({ health }) => health !== "busy");
      await client.sendRequest("isolens/cancel", {});
      await ended;
      const behind = (await summaries()).map(({ verdict }) => verdict);
      assert.match(behind.join(), /^(?:cancelled|anomaly)$/u);
      assert.equal(await server.end(), 0);
    });
  },
);
