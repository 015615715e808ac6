// The tables that each context of Z3 begins with: small in the installed build, and no other code is touched.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { packageBytes } from "../../../server/src/engine/packageFile";
import { shrinkTermTables } from "../../../server/src/engine/termTables";

const built = () => new Uint8Array(packageBytes("z3-solver", "build/z3-built.wasm"));

describe("the first tables of terms", () => {
  test("are made small in both functions that make them, by constants of the same length", () => {
    const [before, after] = [built(), built()];
    assert.equal(shrinkTermTables(after), 2);
    const changed = after.reduce((sum, byte, at) => (byte === before[at] ? sum : sum + 1), 0);
    assert.ok(changed > 0 && changed <= 2 * 18, String(changed));
    assert.ok(WebAssembly.validate(after));
    assert.equal(shrinkTermTables(after), 0, "they are small already");
  });

  test("are left alone where the constants of one table are not together", () => {
    const code = built();
    const start = Buffer.from([0x41, 0x80, 0xc0, 0x20]);
    const apart = Buffer.concat([start, Buffer.alloc(1000), Buffer.from(code.subarray(0, 1000))]);
    const same = Buffer.from(apart);
    assert.equal(shrinkTermTables(apart), 0);
    assert.deepEqual(apart, same);
    assert.equal(shrinkTermTables(new Uint8Array(0)), 0);
  });
});
