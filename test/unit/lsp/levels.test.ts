// Levels that users define, and names that do not exist, as the editor meets them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CancellationTokenSource } from "vscode-languageserver-protocol/node";
import { withServer } from "./harness";

const BANK = "transaction withdraw\nanomaly lost-update\n";
const AXIOM = "forall a, b. conflict(a, b) & ar(a, b) => vis(a, b)";
const level = (axiom: string): string =>
  `{ "name": "my-store", "label": "My store", "extends": "causal",\n  "axioms": ["${axiom}"] }`;

const FILES = {
  "bank.sql": BANK,
  "my.level.json": level(AXIOM),
  "isolens.json": '{ "levels": ["my.level.json"], "level": "causal" }',
};

describe("levels in the editor", () => {
  it("of the project are offered first, checked and told", async () => {
    await withServer({ files: FILES }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.status((status) => status.health === "ok" && status.anomalies > 0);
      const uri = harness.uri("bank.sql");
      const offered = await harness.request("isolens/levels", { uri });
      assert.deepEqual(
        [offered[0]?.name, offered[0]?.label, offered[0]?.family],
        ["my-store", "My store", "paper"],
      );
      const [summary] = await harness.request("isolens/check", { uri, level: "my_store" });
      assert.deepEqual(summary?.level, { name: "my-store", label: "My store" });
    });
  });

  it("say how many transactions need them once that was asked, until the text changes", async () => {
    const text = `${BANK}transaction look\n`;
    await withServer({ files: { "bank.sql": text } }, async (harness) => {
      await harness.open("bank.sql", text);
      await harness.status((status) => status.health === "ok" && status.anomalies > 0);
      const needed = async (): Promise<readonly unknown[]> => {
        const offered = await harness.request("isolens/levels", { uri: harness.uri("bank.sql") });
        return offered.flatMap((each) => (each.needed ? [[each.name, each.needed]] : []));
      };
      assert.deepEqual(await needed(), []);
      await harness.request("isolens/allocation", { uri: harness.uri("bank.sql") });
      assert.deepEqual(await needed(), [
        ["postgres:read-committed", { by: 1, of: 2, isWeakest: true, isDecided: true }],
        ["postgres:serializable", { by: 1, of: 2, isWeakest: false, isDecided: true }],
      ]);
      await harness.replace("bank.sql", `${text}transaction more\n`);
      await harness.request("isolens/summaries", {});
      assert.deepEqual(await needed(), []);
    });
  });

  it("that do not exist are refused with the nearest names", async () => {
    await withServer({ files: FILES }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await assert.rejects(
        harness.request("isolens/check", { level: "my-stor" }),
        /There is no level "my-stor"; did you mean "my-store"\?$/u,
      );
    });
  });

  it("have the remarks on them in their own file, and work again once it is right", async () => {
    await withServer({ files: FILES }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.open("my.level.json", level(AXIOM.replace("conflict", "conflit")));
      const [wrong] = await harness.diagnostics("my.level.json", ["1 configuration"]);
      assert.equal(wrong?.message, 'there is no relation "conflit"; did you mean "conflict"?');
      assert.deepEqual(wrong.range.start, { line: 1, character: 27 });
      const start = { line: 1, character: 27 };
      const end = { line: 1, character: 34 };
      await harness.edit("my.level.json", { start, end }, "conflict");
      await harness.diagnostics("my.level.json", []);
      const offered = await harness.request("isolens/levels", { uri: harness.uri("bank.sql") });
      assert.equal(offered[0]?.name, "my-store");
    });
  });

  it("that the settings name and nobody knows are told by the status", async () => {
    const files = { "bank.sql": BANK };
    await withServer({ files, settings: { level: "serialisable" } }, async (harness) => {
      await harness.open("bank.sql", BANK);
      const { message } = await harness.status((status) => status.health === "degraded");
      assert.equal(
        message,
        'The setting isolens.level: there is no level "serialisable"; did you mean "serializable"? Checks run at PostgreSQL READ COMMITTED.',
      );
    });
  });

  it("are tried without coming into force, until nobody waits for it", async () => {
    const text = "transaction a\n  anomaly lost-update";
    let isHeld = false;
    let begun: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const before = () => {
      if (!isHeld) return undefined;
      begun();
      return new Promise<void>(() => undefined);
    };
    await withServer({ files: { "a.sql": text }, before }, async (harness) => {
      await harness.open("a.sql", text);
      await harness.diagnostics("a.sql", ["1 lost-update"]);
      const uri = harness.uri("a.sql");
      const level = "postgres:serializable";
      const tried = await harness.request("isolens/tryLevel", { uri, level });
      assert.deepEqual([tried?.level.name, tried?.anomalies], [level, 0]);
      const choices = await harness.request("isolens/levels", { uri });
      const choice = choices.find(({ name }) => name === level);
      assert.deepEqual(choice?.known, { verdict: "safe", anomalies: 0, of: 1, unknown: 0 });
      assert.deepEqual([choice.own, choice.inForce], [true, false]);
      await harness.diagnostics("a.sql", ["1 lost-update"]);
      isHeld = true;
      const other = { uri, level: "postgres:repeatable-read" };
      const closing = new CancellationTokenSource();
      const waiting = harness.client.sendRequest("isolens/tryLevel", other, closing.token);
      await beginning;
      closing.cancel();
      assert.equal(await waiting.catch(() => null), null);
      assert.equal(await harness.request("isolens/tryLevel", { uri, level: "nothing" }), null);
    });
  });
});
