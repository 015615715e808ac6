// Proofs in the background: what was found is told first, then the proof; edits and cancels end it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withServer } from "./harness";

const BANK = "transaction withdraw\nanomaly lost-update\n";
const FILES = { "bank.sql": BANK };
const settings = { prove: true };

/** A promise and what resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("a proof in the editor", () => {
  it("comes after the findings, which do not wait for it", async () => {
    const proof = gate();
    const before = ({ configuration }: { readonly configuration: { readonly prove: boolean } }) =>
      configuration.prove ? proof.opened : undefined;
    await withServer({ files: FILES, settings, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.diagnostics("bank.sql", ["1 lost-update"]);
      const [early] = await harness.request("isolens/check", {});
      assert.equal(early?.proof, undefined);
      proof.open();
      const uri = harness.uri("bank.sql");
      for (;;) {
        const [summary] = await harness.request("isolens/summaries", {});
        if (!summary?.proof) continue;
        assert.deepEqual(summary.proof.uris, { "bank.sql": uri });
        assert.equal(summary.anomalies, 1);
        break;
      }
      const offered = await harness.request("isolens/levels", { uri });
      const proved = offered.filter((each) => each.proved).map(({ name }) => name);
      assert.deepEqual(proved, ["postgres:serializable"]);
      assert.deepEqual(offered.find((each) => each.proved)?.proved, { removes: 1 });
    });
  });

  it("and what another level would leave, are asked with the open files, whose broken parts hold back what is uncertain", async () => {
    const asked: string[] = [];
    const before = (
      { configuration }: { readonly configuration: { readonly prove: boolean } },
      { name }: { readonly name: string },
      first: readonly string[] | undefined,
    ): void => {
      asked.push(`${name} ${configuration.prove ? "proof" : "check"} ${String(first?.join())}`);
    };
    await withServer({ files: FILES, settings, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      const uri = harness.uri("bank.sql");
      await harness.request("isolens/check", { uri });
      await harness.request("isolens/tryLevel", { uri, level: "mysql:serializable" });
      while (!asked.some((each) => each.includes("proof")))
        await harness.request("isolens/summaries", {});
      assert.deepEqual(
        asked.filter((each) => !each.endsWith(" bank.sql")),
        [],
      );
    });
  });

  it("is asked for where the settings say so, and of the newest text alone", async () => {
    const asked: string[] = [];
    const before = (project: {
      readonly configuration: { readonly prove: boolean };
      readonly files: readonly { readonly text: string }[];
    }): void => {
      asked.push(`${String(project.configuration.prove)} ${project.files[0]?.text ?? ""}`);
    };
    await withServer({ files: FILES, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await harness.request("isolens/check", {});
      assert.ok(asked.every((each) => each.startsWith("false")));
    });
  });

  it("that is cancelled leaves what was found", async () => {
    const begun = gate();
    const before = ({ configuration }: { readonly configuration: { readonly prove: boolean } }) => {
      if (!configuration.prove) return undefined;
      begun.open();
      return new Promise<void>(() => undefined);
    };
    await withServer({ files: FILES, settings, before }, async (harness) => {
      await harness.open("bank.sql", BANK);
      await begun.opened;
      assert.ok((await harness.request("isolens/cancel", {})) > 0);
      const [summary] = await harness.request("isolens/summaries", {});
      assert.deepEqual([summary?.anomalies, summary?.verdict], [1, "anomaly"]);
      assert.equal(summary?.proof, undefined);
    });
  });
});
