// A history that is written is read back as the same, whatever it held; a damaged one is refused or read, never thrown.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  historyData,
  jsonText,
  writeJsonLines,
} from "../../../../server/src/history/formats/writeJson";
import { writeText } from "../../../../server/src/history/formats/writeText";
import type { History } from "../../../../server/src/history/history";
import { read, render, type Content } from "./reading";

function history(content: Content): History {
  const result = read(content);
  assert.ok("transactions" in result, JSON.stringify(result));
  return result;
}

/** The transactions without their places. */
function told(of: History): readonly string[] {
  return render(of).map((line) => line.replaceAll(/@\d+/gu, ""));
}

function jsonLines(of: History): string {
  let text = "";
  writeJsonLines(of, (part) => (text += part));
  return text;
}

const name = fc.oneof(
  fc.nat(5),
  fc.constantFrom("x", "1", "a b", '\u00e9\n"', ""),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 65n }),
);
/** A key holds a list or a single value, never both. */
const listName = fc.constantFrom("list", "l 2", "\u00fc");
const operation = fc.oneof(
  fc.tuple(name, fc.option(name)).map((pair) => ({ r: pair })),
  fc.tuple(name, name).map((pair) => ({ w: pair })),
  fc.tuple(name, name).map((pair) => ({ w: pair, failed: true })),
  fc.tuple(listName, name).map((pair) => ({ a: pair })),
  fc.tuple(listName, fc.array(name, { maxLength: 3 })).map((pair) => ({ r: pair })),
);
const transaction = fc.record(
  {
    status: fc.constantFrom("committed", "aborted", "unknown"),
    begin: fc.nat(9),
    end: fc.integer({ min: 10, max: 19 }),
    ops: fc.array(operation, { maxLength: 4 }),
  },
  { requiredKeys: ["ops"] },
);
const sessions = fc.array(fc.array(transaction, { minLength: 1, maxLength: 3 }), { maxLength: 3 });

const whole = (list: unknown): string =>
  jsonText({ format: "isolens-history", version: 1, sessions: list });

describe("our own JSON", () => {
  it("is read back as it was written", () => {
    fc.assert(
      fc.property(sessions, (list) => {
        const first = history(whole(list));
        assert.deepEqual(told(history(jsonLines(first))), told(first));
        assert.deepEqual(told(history(jsonText(historyData(first), 2))), told(first));
        assert.deepEqual([...(history(jsonLines(first)).begin ?? [])], [...(first.begin ?? [])]);
      }),
      { seed: 4, numRuns: 300 },
    );
  });
});

describe("text of PolySI", () => {
  const write = (of: History): string => {
    let text = "";
    const result = writeText(of, (part) => (text += part));
    assert.ok(result.ok, JSON.stringify(result));
    return text;
  };
  it("is read back as it was written", () => {
    const text = "w(1,5,7,10)\nr(2,0,7,10)\nr(1,5,8,11)\n";
    assert.equal(write(history(text)), text);
  });
  it("keeps what a history says when names become numbers", () => {
    assert.equal(
      write(history("[x:=1 y==?]\n---\n[x==1 y==0]\n[z:=1]!\n")),
      "w(0,1,1,1)\nr(1,0,1,1)\nr(0,1,2,2)\nr(1,0,2,2)\nw(2,1,2,-1)\n",
    );
    // Nobody wrote the 0 that the second session reads, and in AWDIT's format nothing is there at the start.
    assert.equal(write(history("w 0 1\n=====\nr 0 0\n")), "w(0,1,1,1)\nr(0,2,2,2)\n");
  });
  it("refuses lists and transactions of unknown end", () => {
    const refuse = (content: string, why: RegExp): void => {
      const result = writeText(history(content), () => undefined);
      assert.ok(!result.ok);
      assert.match(result.message, why);
    };
    refuse("{:type :ok :process 0 :value [[:append 1 1]]}", /no lists/u);
    refuse("{:type :info :process 0 :value [[:w 1 1]]}", /may have committed or not/u);
  });
});

describe("damaged files", () => {
  const samples: readonly string[] = [
    "w(1,5,7,10)\nr(2,0,7,10)\nr(1,5,8,11)\n",
    "w 0 0\n-----\nr 0 0\n=====\nr 1 0\n",
    "[x:=1 y==?] [x==1]!\n---\n[z==3]\n",
    "{:type :invoke :process 0 :value [[:append 1 2]]}\n{:type :ok :process 0 :value [[:append 1 2] [:r 1 [2]]]}\n",
    whole([[{ id: "a", ops: [{ r: ["x", null] }, { w: ["x", 1] }] }]]),
    '[[{"events": [["w", 0, 2]], "committed": false}]]',
  ];
  it("are refused or read, never thrown", () => {
    const damage = fc.record({
      sample: fc.constantFrom(...samples),
      at: fc.nat(200),
      remove: fc.nat(6),
      insert: fc.oneof(
        fc.string({ maxLength: 3 }),
        fc.constantFrom("[", "]", "{", "}", '"', "\\", "\n", "\u0000", "9".repeat(30)),
      ),
      chunk: fc.integer({ min: 1, max: 40 }),
    });
    const formats = ["text", "awdit", "dbcop-hist", "elle", "json", "dbcop-json"] as const;
    fc.assert(
      fc.property(damage, ({ sample, at, remove, insert, chunk }) => {
        const start = at % (sample.length + 1);
        const text = sample.slice(0, start) + insert + sample.slice(start + remove);
        const format = formats[samples.indexOf(sample)];
        const result = read(text, { chunk, ...(format && { format }) });
        if ("place" in result && "message" in result) assert.ok(result.message.length > 0);
      }),
      { seed: 4, numRuns: 2000 },
    );
  });
});
