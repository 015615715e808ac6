// Every command in the documents for users does what they say: it is run, in a folder with the files that they speak of.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { execFile, type ChildProcess } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { COMMANDS as NAMES, readArguments } from "../../server/src/cli/arguments";
import { isolens, makeFolder, type Folder } from "./cli";

const ROOT = path.join(__dirname, "..", "..");
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");
const bank = (file: string): string => read(`test/apps/bank/${file}`);

const DOCUMENTS = [
  "README.md",
  ...["docs", "docs/editors"].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];

/** The text of the first block of that language. */
function block(text: string, language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "msu").exec(text)?.[1];
  assert.ok(found !== undefined, language);
  return found;
}

interface Written {
  readonly file: string;
  readonly command: string;
}

/** The commands of a document's shell blocks, without comments and redirections. */
function commandsOf(file: string): readonly Written[] {
  const blocks = read(file).matchAll(/^```sh\n(.*?)^```$/gmsu);
  return [...blocks]
    .flatMap(([, text = ""]) => text.split("\n"))
    .map((line) => line.replace(/(?:^|\s+)[#>].*$/u, "").replace(/^npx /u, ""))
    .filter((line) => line.startsWith("isolens "))
    .map((command) => ({ file, command }));
}

/** Each once, where it is shown first. */
const COMMANDS = [
  ...new Map(
    DOCUMENTS.flatMap(commandsOf)
      .reverse()
      .map((each) => [each.command, each]),
  ).values(),
].reverse();

/** A folder with the files that the documents speak of. */
function exampleFolder(): Folder {
  const run = [
    { session: 1, id: "t1", ops: [{ w: ["x", 1] }] },
    { session: 2, id: "t2", ops: [{ r: ["x", 1] }] },
  ];
  return makeFolder({
    "bank.sql": bank("bank.sql"),
    "schema.sql": bank("schema.sql"),
    "my-store.level.json": block(read("docs/own-levels.md"), "json"),
    "withdraw.client.json": block(read("docs/explore.md"), "jsonc"),
    "run.json": run.map((each) => JSON.stringify(each)).join("\n"),
  });
}

let cache: Folder;

before(() => {
  cache = makeFolder({});
});

after(() => {
  cache.remove();
});

/** Those that end by a signal alone. */
const ENDLESS = /^isolens (?:serve|lsp|mcp)\b/u;

describe("the documents", () => {
  it("show commands of every kind", () => {
    const shown = new Set(COMMANDS.map(({ command }) => command.split(" ")[1]));
    for (const each of NAMES) assert.ok(shown.has(each), each);
  });

  // Commands of a document follow one another in a folder of their own: some change its files.
  for (const file of new Set(COMMANDS.map((each) => each.file))) {
    describe(file, () => {
      let folder: Folder;
      before(() => {
        folder = exampleFolder();
      });
      after(() => {
        folder.remove();
      });
      for (const { command } of COMMANDS.filter((each) => each.file === file)) {
        it(command, async () => {
          const args = command.split(/\s+/u).slice(1);
          // The recorded application is the reader's own: its command line is read, and not run.
          if (args[0] === "record") {
            assert.ok(readArguments(args).ok);
            return;
          }
          // A server of the documentation's reader is none of ours.
          if (args.includes("--server")) args.splice(args.indexOf("--server"), 2);
          const result = await isolens(args, {
            cwd: folder.path,
            timeout: 120_000,
            env: { ISOLENS_CACHE: cache.path, HOME: os.homedir() },
            ...(ENDLESS.test(command) && { watch: endOnceReady }),
          });
          const told = `${String(result.code)}: ${result.error}`;
          assert.ok([0, 1, 2].includes(result.code ?? -1), told);
        });
      }
    });
  }

  it("README.md shows the finding as the terminal prints it", async () => {
    const shown = /^```\n(bank\.sql.*?)^```$/msu.exec(read("README.md"))?.[1];
    assert.ok(shown);
    const { out } = await isolens(["check", "bank.sql"], {
      cwd: path.join(ROOT, "test", "apps", "bank"),
      env: { ISOLENS_CACHE: cache.path },
    });
    // The solver chooses the numbers, which other rules of the search change.
    assert.ok(anyNumbers(out).includes(anyNumbers(shown)), out);
  });

  it("docs/explore.md has a program in code that does what it asserts", async () => {
    const code = makeFolder({ "withdraw.ts": block(read("docs/explore.md"), "ts") });
    try {
      const result = await isolens(["explore", "withdraw.ts"], { cwd: code.path });
      assert.equal(result.code, 1, `${result.out}${result.error}`);
    } finally {
      code.remove();
    }
  });

  it("CONTRIBUTING.md has a command that prints the program", async () => {
    const { stdout: printed } = await promisify(execFile)(
      process.execPath,
      ["--import", "tsx", "test/tools/try.ts", "test/apps/bank/bank.sql"],
      { cwd: ROOT },
    );
    assert.match(printed, /^withdraw\(acc int, amount int\) {2}.*bank\.sql:3/mu);
    assert.match(printed, /UPDATE inner account SET balance = \(:bal - :amount\)/u);
  });
});

const anyNumbers = (text: string): string => text.replaceAll(/\d+ */gu, "0 ");

/** Ends a server as a person does, once it listens or after a moment. */
function endOnceReady(child: ChildProcess): void {
  const end = (): void => {
    child.kill("SIGINT");
  };
  const late = setTimeout(end, 60_000);
  child.once("close", () => {
    clearTimeout(late);
  });
  child.stdout?.once("data", end);
  child.stdin?.end();
}
