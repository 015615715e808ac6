// Results kept in files: what comes back, what is given up, and what happens to files that are not as they were written.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openPackedFiles, openSingleFiles } from "../../../server/src/service/cache/files";
import type { CacheFiles } from "../../../server/src/service/cache/files";
import { buildOf, cacheFolder } from "../../../server/src/service/cache/folder";
import { survivesJson } from "../../../server/src/service/cache/plainJson";

let folder = "";

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "isolens-cache-"));
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

const BOUNDS = { bytes: 10_000, files: 4 };

const kinds: readonly (readonly [string, (bounds?: typeof BOUNDS) => CacheFiles])[] = [
  ["texts packed together", (bounds = BOUNDS) => openPackedFiles(folder, "some", bounds)],
  ["texts in files of their own", (bounds = BOUNDS) => openSingleFiles(folder, "some", bounds)],
];

function keep(cache: CacheFiles, ...keys: readonly string[]): void {
  for (const key of keys) cache.set(key, `text of ${key}`);
  cache.flush();
}

function files(): readonly string[] {
  return fs.readdirSync(folder).sort();
}

function spoil(change: (content: string) => string): void {
  for (const name of files()) {
    const file = path.join(folder, name);
    fs.writeFileSync(file, change(fs.readFileSync(file, "utf8")));
  }
}

for (const [kind, open] of kinds)
  describe(kind, () => {
    it("come back, also in another process", () => {
      const first = open();
      assert.equal(first.get("a"), undefined);
      keep(first, "a", "b");
      assert.equal(first.get("a"), "text of a");
      const second = open();
      assert.equal(second.get("b"), "text of b");
      assert.equal(second.get("c"), undefined);
      assert.deepEqual([...first.takeNotes(), ...second.takeNotes()], []);
    });

    it("are there before they are written", () => {
      const cache = open();
      cache.set("a", "one");
      assert.equal(cache.get("a"), "one");
      assert.deepEqual(files(), []);
    });

    const damages: readonly (readonly [string, (content: string) => string])[] = [
      ["a letter changed", (content) => content.replace("text of", "test of")],
      ["the end cut off", (content) => content.slice(0, -6)],
      ["another format", (content) => content.replace("isolens-cache 1", "isolens-cache 9")],
      ["nothing in it", () => ""],
      ["something else", () => "\u0000\u0001 not ours at all\n".repeat(20)],
      ["another key", (content) => content.replace(/\n[0-9a-f]{4}/u, "\nffff")],
    ];
    for (const [what, change] of damages)
      it(`are not used with ${what}`, () => {
        keep(open(), "a");
        spoil(change);
        const cache = open();
        assert.equal(cache.get("a"), undefined);
        keep(cache, "a");
        assert.equal(open().get("a"), "text of a");
      });

    it("are as they were or not there, wherever a file is cut off or a byte of it changes", () => {
      keep(open(), "a", "b");
      const whole = files().map((name) => {
        const file = path.join(folder, name);
        return { file, content: fs.readFileSync(file) };
      });
      for (const { file, content } of whole)
        for (let at = 0; at < content.length; at += 1) {
          const changed = Buffer.from(content);
          changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
          for (const damaged of [content.subarray(0, at), changed]) {
            for (const other of whole) fs.writeFileSync(other.file, other.content);
            fs.writeFileSync(file, damaged);
            const cache = open();
            for (const key of ["a", "b"]) {
              const text = cache.get(key);
              assert.ok(text === undefined || text === `text of ${key}`, `${file} ${String(at)}`);
            }
            keep(cache, "a", "b");
            assert.equal(open().get("a"), "text of a", `${file} ${String(at)}`);
            for (const name of files()) fs.rmSync(path.join(folder, name));
          }
        }
    });

    it("are not there where a folder is in their place", () => {
      keep(open(), "a");
      for (const name of files()) {
        fs.rmSync(path.join(folder, name));
        fs.mkdirSync(path.join(folder, name));
      }
      const cache = open();
      assert.equal(cache.get("a"), undefined);
      keep(cache, "a", "b");
      assert.equal(cache.get("b"), "text of b");
      assert.equal(open().get("b"), "text of b");
    });

    it("are told about when they are damaged, once", () => {
      keep(open(), "a");
      spoil((content) => content.replace("text of", "test of"));
      const cache = open();
      cache.get("a");
      assert.match(cache.takeNotes().join(), /damaged/);
      assert.deepEqual(cache.takeNotes(), []);
    });

    it("stay within bounds, the newest first", () => {
      for (let round = 0; round < 30; round += 1) keep(open(), `key ${String(round)}`);
      assert.ok(files().length <= BOUNDS.files, files().join());
      assert.equal(open().get("key 29"), "text of key 29");
      for (let round = 0; round < 30; round += 1) {
        const cache = open();
        cache.set(`large ${String(round)}`, "x".repeat(1500));
        cache.flush();
      }
      const bytes = files().reduce(
        (sum, name) => sum + fs.statSync(path.join(folder, name)).size,
        0,
      );
      assert.ok(bytes <= BOUNDS.bytes, String(bytes));
    });

    it("leave what is not theirs alone", () => {
      fs.writeFileSync(path.join(folder, "notes.txt"), "mine");
      fs.writeFileSync(path.join(folder, "some-thing.txt"), "mine");
      for (let round = 0; round < 10; round += 1) keep(open(), `key ${String(round)}`);
      open().get("x");
      assert.ok(files().includes("notes.txt"));
      assert.ok(files().includes("some-thing.txt"));
    });

    it("are written by two at once", () => {
      const [one, two] = [open(), open()];
      one.get("x");
      two.get("x");
      keep(one, "a", "both");
      keep(two, "b", "both");
      const third = open();
      assert.deepEqual(
        ["a", "b", "both"].map((key) => third.get(key)),
        ["text of a", "text of b", "text of both"],
      );
      fs.rmSync(folder, { recursive: true });
      keep(one, "c");
      assert.equal(open().get("c"), "text of c");
    });

    it("say where they cannot be written", () => {
      const file = path.join(folder, "file");
      fs.writeFileSync(file, "");
      const inFile =
        kind === "texts packed together"
          ? openPackedFiles(path.join(file, "below"), "some", BOUNDS)
          : openSingleFiles(path.join(file, "below"), "some", BOUNDS);
      keep(inFile, "a");
      assert.match(inFile.takeNotes().join(), /cannot be kept in/);
    });
  });

describe("entries that are used", () => {
  it("outlive those that are not, when the folder is full", () => {
    keep(openPackedFiles(folder, "some", BOUNDS), "old");
    for (let round = 0; round < 12; round += 1) {
      const cache = openPackedFiles(folder, "some", BOUNDS);
      assert.equal(cache.get("old"), "text of old", String(round));
      cache.set(`large ${String(round)}`, "x".repeat(2500));
      cache.flush();
    }
  });
});

describe("the folder of the cache", () => {
  const home = path.resolve("/home/ann");
  const cases: readonly (readonly [NodeJS.Platform, NodeJS.ProcessEnv, string | undefined])[] = [
    ["linux", {}, path.join(home, ".cache", "isolens")],
    ["linux", { XDG_CACHE_HOME: path.resolve("/var/c") }, path.resolve("/var/c/isolens")],
    ["linux", { XDG_CACHE_HOME: "relative" }, path.join(home, ".cache", "isolens")],
    ["darwin", {}, path.join(home, "Library", "Caches", "isolens")],
    ["win32", {}, path.join(home, "AppData", "Local", "isolens")],
    ["win32", { LOCALAPPDATA: "D:" }, path.join("D:", "isolens")],
    ["linux", { ISOLENS_CACHE: path.resolve("/tmp/x") }, path.resolve("/tmp/x")],
    ["linux", { ISOLENS_CACHE: "off" }, undefined],
  ];
  for (const [platform, env, expected] of cases)
    it(`on ${platform} with ${JSON.stringify(env)}`, () => {
      assert.equal(cacheFolder(env, platform, home), expected);
    });

  it("tells builds apart", () => {
    const script = path.join(folder, "a.js");
    fs.writeFileSync(script, "1");
    const before = buildOf("isolens 1", [script]);
    assert.equal(buildOf("isolens 1", [script]), before);
    assert.notEqual(buildOf("isolens 2", [script]), before);
    fs.writeFileSync(script, "12");
    assert.notEqual(buildOf("isolens 1", [script]), before);
    assert.match(buildOf("isolens 1", [path.join(folder, "absent.js")]), /none/);
  });
});

describe("data that JSON keeps", () => {
  const cases: readonly (readonly [unknown, boolean])[] = [
    [{ a: [1, "x", null, true, { b: -1.5 }] }, true],
    [{ a: undefined }, false],
    [[NaN], false],
    [[Infinity], false],
    [[-0], false],
    [[1n], false],
    [new Map(), false],
    [new Date(0), false],
  ];
  for (const [value, expected] of cases)
    it(String(value), () => {
      assert.equal(survivesJson(value), expected);
    });
});
