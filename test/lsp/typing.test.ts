import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { root, withServerProcess } from "./client";
import { TYPED } from "./typed";
import { typeInto } from "./typist";

/** Faster than a person, so that keys come while checks run. */
const RHYTHM = 60;

describe("while somebody types", () => {
  for (const { app, name, file, languageId, after, keys, changes } of TYPED) {
    for (const whole of name === "comment" ? [false, true] : [false]) {
      const how = whole ? "sent as a whole text" : "sent as edits";
      it(`a ${name} in ${app}, ${how}, nothing that stands elsewhere goes or comes`, async () => {
        const text = readFileSync(path.join(root, "test", "apps", app, file), "utf8");
        const line = text.split("\n").findIndex((each) => each.includes(after)) + 1;
        await withServerProcess("stdio", app, async (server) => {
          const typed = await typeInto(server.client, {
            uri: server.uri(file),
            text: text.replace(after, `${after}\n`),
            languageId,
            at: { line, character: 0 },
            keys,
            rhythm: RHYTHM,
            whole,
            ...(changes !== undefined && { edited: (message) => message.includes(changes) }),
          });
          assert.ok(typed.before > 0, "something is found in the example");
          const { vanished, appeared, bodies, grown } = typed;
          assert.deepEqual({ vanished, appeared, bodies, grown }, CALM);
          await server.end();
        });
      });
    }
  }
});

const CALM = { vanished: [], appeared: [], bodies: [], grown: 0 };
