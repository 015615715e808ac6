import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import type {
  CodeLens,
  Diagnostic,
  DocumentSymbol,
  Hover,
} from "vscode-languageserver-protocol/node";
import { LEVELS } from "../../../server/src/isolation/levels";
import { withServer, type Harness } from "./harness";

const BANK = `transaction withdraw
  read
  anomaly lost-update
  write

transaction deposit
  write`;

const at = (line: number, character: number) => ({ line, character });
const between = (line: number, from: number, to: number) => ({
  start: at(line, from),
  end: at(line, to),
});

async function lenses(harness: Harness, file: string): Promise<readonly string[]> {
  const textDocument = { uri: harness.uri(file) };
  const found: readonly CodeLens[] = await harness.client.sendRequest("textDocument/codeLens", {
    textDocument,
  });
  return found.map((lens) => `${String(lens.range.start.line)} ${lens.command?.title ?? ""}`);
}

async function hover(
  harness: Harness,
  file: string,
  line: number,
  character: number,
): Promise<string> {
  const found: Hover | null = await harness.client.sendRequest("textDocument/hover", {
    textDocument: { uri: harness.uri(file) },
    position: at(line, character),
  });
  const { contents } = found ?? { contents: "" };
  return typeof contents === "object" && "value" in contents ? contents.value : "";
}

describe("diagnostics", () => {
  it("stand on the statement, with kind, documentation, steps and the anomaly's id", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      const [diagnostic] = await harness.diagnostics("bank.sql", ["2 lost-update"]);
      assert.equal(diagnostic?.message, "lost-update in withdraw");
      assert.equal(diagnostic.severity, 1);
      assert.equal(diagnostic.source, "isolens");
      assert.match(diagnostic.codeDescription?.href ?? "", /\/lost-update\.md$/);
      assert.deepEqual(diagnostic.data, { anomaly: "withdraw-lost-update" });
      assert.deepEqual(
        diagnostic.relatedInformation?.map((each) => each.message),
        [
          "1/2 T1 reads account[1].balance = 100 (T2 has written nothing here yet)",
          "2/2 T2 reads account[1].balance = 100",
        ],
      );
    });
  });

  it("carry the version of the text that they are about", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      assert.equal(harness.published.at(-1)?.version, 1);
    });
  });

  it("tell what is unknown as information and what cannot be read as an error", async () => {
    const text = "transaction a\nunknown too hard\nnote unexpected word";
    await withServer({ files: { "a.sql": text } }, async (harness) => {
      await harness.open("a.sql", text);
      const found = await harness.diagnostics("a.sql", ["1 unknown", "2 syntax"]);
      assert.deepEqual(
        found.map((each) => each.severity),
        [3, 1],
      );
    });
  });

  it("stay when their transaction is edited, move with the text, and fade a moment later", async () => {
    const text = `${BANK}\n\ntransaction close\n  anomaly write-skew`;
    let block = false;
    const before = () => (block ? new Promise<void>(() => undefined) : undefined);
    await withServer({ files: { "bank.sql": text }, before }, async (harness) => {
      await harness.open("bank.sql", text);
      await harness.diagnostics("bank.sql", ["2 lost-update", "9 write-skew"]);
      block = true;
      const edited = Date.now();
      await harness.edit("bank.sql", between(1, 2, 6), "look\n  again");
      const moved = await harness.diagnostics("bank.sql", ["3 lost-update", "10 write-skew"]);
      assert.deepEqual(
        moved.map(({ tags }) => tags),
        [undefined, undefined],
      );
      const isFaded = ({ tags }: Diagnostic) => tags?.includes(1) === true;
      const faded = await harness.until("bank.sql", (all) => all.some(isFaded));
      assert.ok(Date.now() - edited >= 900);
      assert.deepEqual(faded.map(isFaded), [true, false]);
      const messages = harness.published.map(({ diagnostics }) => diagnostics.length);
      assert.ok(
        messages.every((count, at) => at === 0 || count === 2),
        messages.join(),
      );
    });
  });

  it("stay as they are while a comment or a blank line is written, whatever the client sends", async () => {
    let block = false;
    const before = () => (block ? new Promise<void>(() => undefined) : undefined);
    await withServer({ files: { "bank.sql": BANK }, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      block = true;
      let text = BANK;
      for (const written of ["  -- why\n", "\n", "   \n", "  /* so */\n"]) {
        text = text.replace("  anomaly", `${written}  anomaly`);
        await harness.replace("bank.sql", text);
      }
      const [moved] = await harness.diagnostics("bank.sql", ["6 lost-update"]);
      await new Promise((resolve) => setTimeout(resolve, 1200));
      assert.equal(moved?.tags, undefined);
      const [last] = harness.published.at(-1)?.diagnostics ?? [];
      assert.deepEqual([last?.range.start.line, last?.tags], [6, undefined]);
    });
  });

  it("come back where the text of another transaction changed", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      await harness.edit("bank.sql", between(6, 2, 7), "anomaly write-skew");
      await harness.diagnostics("bank.sql", ["2 lost-update", "6 write-skew"]);
    });
  });

  it("disappear when the cause is edited away", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      await harness.edit("bank.sql", between(2, 2, 21), "update in one statement");
      await harness.diagnostics("bank.sql", []);
      await harness.status((status) => status.health === "ok" && status.anomalies === 0);
    });
  });

  it("of a wrong isolens.json stand in it", async () => {
    const files = { "bank.sql": BANK, "isolens.json": '{ "levle": "serializable" }' };
    await withServer({ files }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("isolens.json", ["0 configuration"]);
    });
  });

  it("use the text on disk of files that are not open", async () => {
    await withServer(
      { files: { "a.sql": BANK, "b.sql": "transaction other" } },
      async (harness) => {
        await harness.open("b.sql", "transaction other");
        await harness.diagnostics("a.sql", ["2 lost-update"]);
        writeFileSync(path.join(harness.folder, "a.sql"), "transaction withdraw");
        await harness.client.sendNotification("workspace/didChangeWatchedFiles", {
          changes: [{ uri: harness.uri("a.sql"), type: 2 }],
        });
        await harness.diagnostics("a.sql", []);
      },
    );
  });

  it("work for a document that lies on no disk", async () => {
    await withServer({ files: {} }, async (harness) => {
      const uri = "untitled:Untitled-1";
      const published = new Promise<unknown>((resolve) => {
        harness.client.onNotification("textDocument/publishDiagnostics", resolve);
      });
      await harness.client.sendNotification("textDocument/didOpen", {
        textDocument: { uri, languageId: "sql", version: 1, text: BANK },
      });
      const { uri: told } = (await published) as { readonly uri: string };
      assert.equal(told, uri);
    });
  });
});

describe("checks", () => {
  it("at a level keep it in force until told otherwise", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      const uri = harness.uri("bank.sql");
      const [strong] = await harness.request("isolens/check", { level: "pg:ser", uri });
      assert.equal(strong?.verdict, "safe");
      assert.equal(strong.level.label, "PostgreSQL SERIALIZABLE");
      await harness.diagnostics("bank.sql", []);
      await harness.status(
        (status) => status.chosen && status.level.name === "postgres:serializable",
      );
      await harness.request("isolens/check", { uri });
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
    });
  });

  it("that are asked for before the files are read wait for them", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      const [summary] = await harness.request("isolens/check", { uri: harness.uri("bank.sql") });
      assert.equal(summary?.anomalies, 1);
    });
  });

  it("see what was typed while files were read", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.edit("bank.sql", between(2, 2, 21), "anomaly write-skew");
      await harness.diagnostics("bank.sql", ["2 write-skew"]);
    });
  });

  it("refuse a level that does not exist", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await assert.rejects(
        harness.request("isolens/check", { level: "chaos" }),
        /no level "chaos"/,
      );
    });
  });

  it("take the level of isolens.json, and that of the settings without one", async () => {
    const check = async (files: Record<string, string>, settings: unknown, expected: string) => {
      await withServer({ files: { "bank.sql": BANK, ...files }, settings }, async (harness) => {
        await harness.open("bank.sql", BANK);
        await harness.status((status) => status.level.name === expected);
      });
    };
    await check({}, {}, "postgres:read-committed");
    await check({}, { level: "prefix" }, "prefix");
    await check({ "isolens.json": '{ "level": "si" }' }, { level: "prefix" }, "snapshot-isolation");
  });

  it("can be cancelled, which is seen at once", async () => {
    const before = () => new Promise<void>(() => undefined);
    await withServer({ files: { "bank.sql": BANK }, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.status((status) => status.health === "busy");
      assert.equal(await harness.request("isolens/cancel", {}), 1);
      await harness.status((status) => status.health === "ok");
      assert.equal(await harness.request("isolens/cancel", {}), 0);
    });
  });

  it("of an older text are dropped", async () => {
    const levels: string[] = [];
    const gates: (() => void)[] = [];
    const before = (_project: unknown, level: { readonly name: string }) => {
      levels.push(level.name);
      return new Promise<void>((resolve) => gates.push(resolve));
    };
    await withServer({ files: { "bank.sql": BANK }, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.status((status) => status.health === "busy");
      await harness.edit("bank.sql", between(2, 2, 21), "anomaly write-skew");
      await harness.status(() => gates.length === 2);
      gates[1]?.();
      await harness.diagnostics("bank.sql", ["2 write-skew"]);
      const codes = harness.published.flatMap((each) => each.diagnostics.map(({ code }) => code));
      assert.deepEqual(codes, ["write-skew"]);
    });
  });

  it("that fail are told, and the next one works", async () => {
    let broken = true;
    const before = () => {
      if (broken) throw new Error("no solver");
    };
    await withServer({ files: { "bank.sql": BANK }, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      const status = await harness.status((each) => each.health === "degraded");
      assert.match(status.message, /no solver/);
      broken = false;
      await harness.request("isolens/check", {});
      await harness.status((each) => each.health === "ok");
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
    });
  });

  it("wait for the command when the settings say so", async () => {
    const settings = { check: "manual" };
    await withServer({ files: { "bank.sql": BANK }, settings }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.status(() => true);
      assert.deepEqual(harness.published, []);
      await harness.request("isolens/check", {});
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
    });
  });
});

describe("lenses", () => {
  it("stand above every transaction, with or without anomalies", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      assert.deepEqual(await lenses(harness, "bank.sql"), [
        "0 1 anomaly at PostgreSQL READ COMMITTED - show",
        "5 No anomaly at PostgreSQL READ COMMITTED, up to 3 at a time",
      ]);
    });
  });

  it("have a switch", async () => {
    const settings = { codeLens: { enabled: false } };
    await withServer({ files: { "bank.sql": BANK }, settings }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      assert.deepEqual(await lenses(harness, "bank.sql"), []);
    });
  });

  it("never say that nothing was found where something is undecided", async () => {
    const text = "transaction a\n  unknown too hard";
    await withServer({ files: { "a.sql": text } }, async (harness) => {
      await harness.open("a.sql", text);
      await harness.diagnostics("a.sql", ["1 unknown"]);
      assert.deepEqual(await lenses(harness, "a.sql"), [
        "0 Isolens: not fully decided at PostgreSQL READ COMMITTED",
      ]);
    });
  });
});

describe("editors without a client of Isolens", () => {
  it("get the transactions as symbols", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      const textDocument = { uri: harness.uri("bank.sql") };
      const symbols: readonly DocumentSymbol[] = await harness.client.sendRequest(
        "textDocument/documentSymbol",
        { textDocument },
      );
      assert.deepEqual(
        symbols.map(({ name, detail, range }) => [name, detail, range.start.line, range.end.line]),
        [
          ["withdraw", "1 anomaly", 0, 3],
          ["deposit", "", 5, 6],
        ],
      );
    });
  });

  it("run commands by the server: what a lens shows, another level, stop", async () => {
    const own = { files: { "bank.sql": BANK }, initialization: {} };
    await withServer(own, async (harness) => {
      const shown: string[] = [];
      harness.client.onRequest("window/showMessageRequest", () => null);
      harness.client.onNotification("window/showMessage", ({ message }: { message: string }) => {
        shown.push(message);
      });
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      const run = (command: string, ...args: unknown[]): Promise<unknown> =>
        harness.client.sendRequest("workspace/executeCommand", { command, arguments: args });
      const lensParams = { textDocument: { uri: harness.uri("bank.sql") } };
      const [lens]: readonly CodeLens[] = await harness.client.sendRequest(
        "textDocument/codeLens",
        lensParams,
      );
      assert.equal(lens?.command?.command, "isolens.explain");
      const text = await run(
        lens.command.command,
        ...((lens.command.arguments ?? []) as readonly unknown[]),
      );
      assert.match(String(text), /^lost-update in withdraw\n {2}1\. T1 reads account/u);
      assert.equal(await run("isolens.stop"), 0);
      await run("isolens.checkAt", "pg:ser");
      await harness.diagnostics("bank.sql", []);
      await run("isolens.checkAt");
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      assert.equal(await run("isolens.nothing"), null);
    });
  });
});

describe("hovers", () => {
  it("tell of a statement what it did, not what the diagnostic says", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      const text = await hover(harness, "bank.sql", 2, 5);
      assert.match(text, /step 1: \*\*T1\*\* reads account\\\[1\\\]/);
      assert.match(text, /Prevented at PostgreSQL SERIALIZABLE/);
      assert.doesNotMatch(text, /lost-update in withdraw/);
      assert.match(text, /command:isolens\.showAnomaly/);
    });
  });

  it("summarize a transaction in its first line", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      const text = await hover(harness, "bank.sql", 0, 15);
      assert.match(text, /\*\*withdraw\*\* runs at PostgreSQL READ COMMITTED\./);
      assert.match(text, /Every statement is read exactly/);
      assert.match(text, /- Lost update/);
      assert.equal(await hover(harness, "bank.sql", 1, 3), "");
    });
  });

  it("name what the answers about a transaction assume", async () => {
    const text = `${BANK}\n  assume account.balance >= 0`;
    await withServer({ files: { "bank.sql": text } }, async (harness) => {
      await harness.open("bank.sql", text);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      assert.match(
        await hover(harness, "bank.sql", 5, 15),
        /Assuming:\n- `account\.balance >= 0`/u,
      );
    });
  });
});

describe("anomalies for the client", () => {
  it("are listed with those at the cursor first", async () => {
    const text = `${BANK}\n  anomaly write-skew`;
    await withServer({ files: { "bank.sql": text } }, async (harness) => {
      await harness.open("bank.sql", text);
      await harness.diagnostics("bank.sql", ["2 lost-update", "7 write-skew"]);
      const kinds = async (line: number) => {
        const uri = harness.uri("bank.sql");
        const found = await harness.request("isolens/anomalies", { uri, position: at(line, 3) });
        return found.map((each) => each.kind);
      };
      assert.deepEqual(await kinds(1), ["lost-update", "write-skew"]);
      assert.deepEqual(await kinds(7), ["write-skew", "lost-update"]);
    });
  });

  it("say how near they are, so that a command need not ask", async () => {
    const text = `${BANK}\n\ntransaction close\n  anomaly write-skew\n  anomaly phantom`;
    await withServer({ files: { "bank.sql": text } }, async (harness) => {
      await harness.open("bank.sql", text);
      await harness.diagnostics("bank.sql", ["2 lost-update", "9 write-skew", "10 phantom"]);
      const near = async (line: number) => {
        const params = { uri: harness.uri("bank.sql"), position: at(line, 4) };
        const found = await harness.request("isolens/anomalies", params);
        return found.map((each) => `${each.kind} ${each.near}`);
      };
      const [skew, phantom] = ["write-skew", "phantom"];
      assert.deepEqual(await near(10), [
        `${phantom} finding`,
        `${skew} transaction`,
        "lost-update elsewhere",
      ]);
      // Between transactions the nearest is the first.
      assert.deepEqual((await near(7))[0], `${skew} elsewhere`);
      assert.deepEqual((await near(1))[0], "lost-update transaction");
    });
  });

  it("are proved on request, and the level stays", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      await harness.request("isolens/check", { level: "pg:rr" });
      await harness.request("isolens/check", { prove: true });
      const status = await harness.status(({ health }) => health === "ok");
      assert.equal(status.level.name, "postgres:repeatable-read");
      const proved = async (): Promise<boolean> => {
        const [summary] = await harness.request("isolens/summaries", {});
        return summary?.proof !== undefined;
      };
      while (!(await proved())) await new Promise((resolve) => setTimeout(resolve, 20));
    });
  });

  it("are told whole by id, or as null", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      const payload = await harness.request("isolens/anomaly", { id: "withdraw-lost-update" });
      assert.equal(payload?.title, "Lost update");
      assert.deepEqual(payload.uris, { "bank.sql": harness.uri("bank.sql") });
      assert.deepEqual(payload.labels, { "postgres:serializable": "PostgreSQL SERIALIZABLE" });
      assert.deepEqual([payload.stale, payload.partial], [false, false]);
      assert.equal(await harness.request("isolens/anomaly", { id: "none" }), null);
    });
  });

  it("come with what is known at each level", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      const uri = harness.uri("bank.sql");
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
      await harness.request("isolens/check", { level: "postgres:serializable", uri });
      const levels = await harness.request("isolens/levels", { uri });
      const known = levels.filter((each) => each.known !== undefined);
      assert.deepEqual(
        known.map((each) => [each.name, each.known?.anomalies, each.inForce, each.configured]),
        [
          ["postgres:read-committed", 1, false, true],
          ["postgres:serializable", 0, true, false],
        ],
      );
      assert.equal(levels.length, LEVELS.length);
    });
  });
});

describe("files that change on disk", () => {
  const found = (name: string): string => `transaction ${name}\n  note ${name} is wrong`;

  it("are read and checked once for many changes, whether they come, go or get other names", async () => {
    const names = Array.from({ length: 40 }, (_, at) => `src/file${String(at)}.ts`);
    const files = Object.fromEntries(names.map((name, at) => [name, found(`t${String(at)}`)]));
    let checks = 0;
    const before = (): void => {
      checks += 1;
    };
    const settings = { check: "onChange", scope: "workspace" };
    await withServer({ files, before, settings }, async (harness) => {
      await harness.diagnostics("src/file39.ts", ["1 syntax"]);
      const first = checks;
      for (const [at, name] of names.entries()) {
        writeFileSync(path.join(harness.folder, name), `\n${found(`u${String(at)}`)}`);
      }
      rmSync(path.join(harness.folder, "src/file0.ts"));
      renameSync(path.join(harness.folder, "src/file1.ts"), path.join(harness.folder, "new.ts"));
      for (const name of [...names, "new.ts"]) {
        const changes = [{ uri: harness.uri(name), type: 2 }];
        await harness.client.sendNotification("workspace/didChangeWatchedFiles", { changes });
      }
      await harness.diagnostics("src/file39.ts", ["2 syntax"]);
      await harness.diagnostics("new.ts", ["2 syntax"]);
      await harness.diagnostics("src/file0.ts", []);
      await harness.diagnostics("src/file1.ts", []);
      // All messages may come before the first load begins, or some behind it; each of them alone would be forty.
      assert.ok(checks - first <= 4, `${String(checks - first)} checks`);
    });
  });
});

describe("messages of the wrong shape", () => {
  it("are refused by the field that is wrong, and what comes after them is read", async () => {
    await withServer({ files: { "bank.sql": BANK } }, async (harness) => {
      const { client } = harness;
      const textDocument = { uri: harness.uri("bank.sql") };
      await client.sendNotification("textDocument/didOpen", { textDocument });
      await client.sendNotification("textDocument/didChange", {
        textDocument,
        contentChanges: [{}],
      });
      await client.sendNotification("textDocument/didClose", { document: textDocument });
      const wrong: readonly (readonly [method: string, params: object, message: string])[] = [
        ["hover", { textDocument }, "textDocument/hover: position is not a position"],
        ["codeLens", { textDocument: {} }, "textDocument/codeLens: textDocument.uri is not a text"],
        [
          "codeAction",
          { textDocument, range: {} },
          "textDocument/codeAction: range is not a range",
        ],
      ];
      for (const [method, params, message] of wrong)
        await assert.rejects(client.sendRequest(`textDocument/${method}`, params), {
          code: -32602,
          message,
        });
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["2 lost-update"]);
    });
  });
});
