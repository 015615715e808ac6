// The example programs under other names: those that objects of JavaScript answer to, words of SQL, built-in types.
import assert from "node:assert/strict";
import { test } from "node:test";
import { breachOf, codeExample, saidOf, sqlExample, type Example } from "../../fuzz/names/law";
import { randomOf } from "../../fuzz/servers/random";
import { app } from "../truth/analyse";

const EXAMPLES: readonly Example[] = [
  sqlExample("bank", app("bank"), "postgres", "postgres:read-committed"),
  sqlExample("micro", app("micro"), "postgres", "postgres:read-committed"),
  sqlExample("oncall", app("oncall"), "postgres", "postgres:repeatable-read"),
  sqlExample("courseware", app("courseware"), "postgres", "postgres:read-committed"),
  sqlExample("smallbank", app("smallbank"), "postgres", "snapshot-isolation"),
  sqlExample("bank-mysql", app("bank-mysql"), "mysql", "mysql:repeatable-read"),
  codeExample("smallbank-ts", "postgres:read-committed"),
  codeExample("smallbank-java", "postgres:read-committed"),
];

for (const example of EXAMPLES)
  test(`${example.name}: names change no verdict`, async () => {
    const expected = await saidOf(example);
    for (const seed of [1, 2]) {
      const breach = await breachOf(example, expected, randomOf(seed));
      const texts = breach?.files.map(({ text }) => text).join("\n");
      assert.deepEqual(breach?.found, breach?.expected, texts);
    }
  });
