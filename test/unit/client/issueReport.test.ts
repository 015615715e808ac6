import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { issueReport, type IssueFacts } from "../../../client/src/features/issueReport";

const FACTS: IssueFacts = {
  levels: ["postgres:serializable"],
  versions: { Isolens: "1.2.3" },
  settings: { level: "postgres:serializable", nodePath: "/home/ann/node", get: () => undefined },
  status: undefined,
  summaries: [
    {
      folder: "/home/ann/secret",
      level: { name: "postgres:serializable", label: "x" },
      verdict: "unknown",
      rests: { bound: 3 },
      anomalies: 0,
      transactions: 4,
      unknown: [{ reason: "SELECT secret", transactions: [] }],
    },
  ],
};

describe("a report of an issue", () => {
  it("has versions, settings and counts, and nothing that is the user's", () => {
    const text = issueReport(FACTS);
    assert.match(text, /- Isolens: 1\.2\.3/u);
    assert.match(text, /unknown, 0 anomalies of 4 transactions, 1 open questions/u);
    assert.doesNotMatch(text, /secret|home|nodePath|## Source/u);
  });

  it("names no level of the user's own", () => {
    const [summary] = FACTS.summaries;
    const own = { name: "acme-ledger", label: "Acme ledger" };
    const text = issueReport({
      ...FACTS,
      settings: { level: own.name },
      summaries: summary ? [summary, { ...summary, level: own }] : [],
    });
    assert.match(text, /- postgres:serializable: unknown/u);
    assert.match(text, /- a level of one's own: unknown/u);
    assert.doesNotMatch(text, /acme/iu);
  });

  it("has the source where the user agrees, in a fence that it does not end", () => {
    const text = issueReport({ ...FACTS, source: { language: "sql", text: "a ``` b\n" } });
    assert.match(text, /````sql\na ``` b\n````\n$/u);
  });
});
