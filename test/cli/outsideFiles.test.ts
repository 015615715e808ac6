import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { openSources } from "../../server/src/workspace/sources";
import { isolens, makeFolder, type CliResult, type Folder } from "./cli";

/** Characters that no output may hold. */
const SECRET = "hunter2hunter2";
const GOOD = "CREATE TABLE a (id integer PRIMARY KEY, v integer NOT NULL);\n";

let outer: Folder;
let inside = "";
let secret = "";

beforeEach(() => {
  outer = makeFolder({ "secret/passwd": `${SECRET}:x:0:0:root\n`, "repo/good.sql": GOOD });
  inside = path.join(outer.path, "repo");
  secret = path.join(outer.path, "secret", "passwd");
});

afterEach(() => {
  outer.remove();
});

async function run(...args: readonly string[]): Promise<CliResult> {
  const result = await isolens(args, { cwd: inside });
  assert.ok(!`${result.out}${result.error}`.includes(SECRET), "the secret is told");
  return result;
}

function inRepo(name: string): string {
  return path.join(inside, name);
}

describe("files from outside", () => {
  it("refuses a configuration that is a link out of the workspace", async () => {
    symlinkSync(secret, inRepo("isolens.json"));
    const { code, error } = await run("check", ".");
    assert.equal(code, 3);
    assert.match(error, /isolens\.json: not read: it is a link that leads out of the workspace/);
  });

  for (const [key, config] of [
    ["levels", '{ "levels": ["NAME"] }'],
    ["a baseline", '{ "baseline": "NAME" }'],
  ] as const) {
    for (const name of ["../secret/passwd", "link", "folder/passwd", "SECRET"]) {
      it(`refuses ${key} that lead out of the workspace by ${name}`, async () => {
        symlinkSync(secret, inRepo("link"));
        symlinkSync(path.dirname(secret), inRepo("folder"));
        writeFileSync(
          inRepo("isolens.json"),
          config.replace("NAME", name === "SECRET" ? secret : name),
        );
        const { code, error } = await run("check", ".");
        assert.equal(code, 3);
        assert.match(error, /leads out of the workspace/);
      });
    }
  }

  it("follows links inside of a repository, from a folder of it as well", async () => {
    mkdirSync(inRepo(".git"));
    mkdirSync(inRepo("part"));
    writeFileSync(
      inRepo("shared.level.json"),
      '{ "name": "mine", "axioms": ["forall w, q. so(w, q) implies vis(w, q)"] }',
    );
    writeFileSync(inRepo("part/isolens.json"), '{ "levels": ["linked.json"] }');
    symlinkSync("../shared.level.json", inRepo("part/linked.json"));
    symlinkSync("../good.sql", inRepo("part/good.sql"));
    const { error } = await run("check", "part", "--coverage");
    assert.doesNotMatch(error, /not read/);
  });

  it("takes no configuration from above a repository", async () => {
    mkdirSync(inRepo(".git"));
    outer.write("isolens.json", '{ "level": "nowhere" }');
    assert.equal((await run("check", ".")).code, 0);
  });

  it("repeats nothing of a file that stands in for a configuration, a level or a baseline", async () => {
    linkSync(secret, inRepo("isolens.json"));
    const { code, error } = await run("check", ".");
    assert.equal(code, 3);
    assert.match(error, /isolens\.json:1:1/);
    for (const text of [`{"${SECRET}": 1}`, `{"name": ${SECRET}}`, `"${SECRET}"`, `[${SECRET}]`]) {
      writeFileSync(inRepo("other.json"), text);
      for (const config of ['{ "levels": ["other.json"] }', '{ "baseline": "other.json" }']) {
        outer.write("two/isolens.json", config.replace("other", "../repo/other"));
        outer.write("two/.git/HEAD", "");
        writeFileSync(path.join(outer.path, "two", "other.json"), text);
        outer.write("two/isolens.json", config);
        const result = await isolens(["check", "."], { cwd: path.join(outer.path, "two") });
        assert.equal(result.code, 3);
        assert.ok(!result.error.includes(SECRET), result.error);
      }
    }
  });

  it("names what is no file where a folder is checked, and goes on with the rest", async () => {
    spawnSync("mkfifo", [
      inRepo("pipe.sql"),
      inRepo("package.json"),
      inRepo("pipe.ts"),
      inRepo("x.prisma"),
    ]);
    symlinkSync("/dev/zero", inRepo("zero.sql"));
    symlinkSync(secret, inRepo("away.sql"));
    symlinkSync("loop.sql", inRepo("loop.sql"));
    const server = createServer().listen(inRepo("socket.sql"));
    try {
      const { code, out } = await run("check", ".", "--coverage");
      assert.equal(code, 2, out);
      assert.match(out, /pipe\.sql.*it is a pipe, not a regular file/);
      assert.match(out, /pipe\.ts.*it is a pipe, not a regular file/);
      assert.match(out, /zero\.sql.*it is a device, not a regular file/);
      assert.match(out, /socket\.sql.*it is a socket, not a regular file/);
      assert.match(out, /away\.sql.*leads out of the workspace/);
    } finally {
      server.close();
    }
  });

  for (const args of [
    ["check", "pipe"],
    ["check", ".", "--config", "pipe"],
    ["check", ".", "--baseline", "pipe"],
    ["check", ".", "--level", "./pipe"],
    ["history", "pipe"],
    ["explore", "pipe"],
    ["explore", "pipe.js"],
    ["explore", "pipe.json"],
    ["explore", "good.json", "--work", "pipe"],
    ["serve", "--protocol", "postgres", "--level", "causal", "--schema", "pipe"],
    ["check", "/dev/zero"],
    ["history", "/dev/zero"],
    ["serve", "--protocol", "postgres", "--level", "causal", "--schema", "/dev/zero"],
    ["history", "away"],
  ]) {
    it(`does not wait for anybody at ${args.join(" ")}`, async () => {
      spawnSync("mkfifo", ["pipe", "pipe.js", "pipe.json"].map(inRepo));
      symlinkSync(secret, inRepo("away"));
      const { code, out, error } = await run(...args);
      assert.ok(code === 2 || code === 3, `${String(code)} ${error}`);
      assert.match(out + error, /not a regular file|out of the workspace/);
    });
  }

  it("reads no more in all than fits", () => {
    const files = ["b.sql", "c.sql", "d.sql"].map(inRepo);
    for (const file of files) writeFileSync(file, " ".repeat(60));
    const sources = openSources({ roots: [inside], most: 100 });
    const read = files.map((file) => sources.readNow(file).ok);
    assert.deepEqual(read, [true, true, false]);
  });

  it("reads nothing more when the budget is over", () => {
    const sources = openSources({ roots: [inside], budget: -1 });
    const read = sources.readNow(inRepo("good.sql"));
    assert.ok(!read.ok);
    assert.equal(read.reason, "not read: the time budget was over (--budget gives more)");
  });
});
