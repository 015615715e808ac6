// The npm package as users install it: packed, installed in a clean folder without a network, and used there from its own files;
// by hand, by the action of workflows, by the hook of pre-commit and as the container file does.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { version } from "../../package.json";
import { runAction } from "../support/actionRunner";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const scratch = mkdtempSync(path.join(os.tmpdir(), "isolens-install-"));
const tarball = path.join(scratch, `isolens-${version}.tgz`);
const home = path.join(scratch, "home");
const isWindows = process.platform === "win32";
/** Neither the user's settings nor what npm has kept; a package that needs another would fail. */
const env = {
  ...process.env,
  HOME: home,
  // Results of one command are kept for the next, as at users.
  ISOLENS_CACHE: path.join(scratch, "cache"),
  npm_config_cache: path.join(scratch, "npm"),
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
};

after(() => {
  rmSync(scratch, { recursive: true, force: true });
});

before(() => {
  mkdirSync(home);
  const packing = [path.join(root, "packaging", "main.mjs"), "--only", "tgz", "--out", scratch];
  execFileSync(process.execPath, packing);
  mkdirSync(path.join(scratch, "user"));
  cpSync(path.join(root, "test/apps/bank"), path.join(scratch, "user/bank"), { recursive: true });
  writeFileSync(path.join(scratch, "user/package.json"), "{}\n");
  npm(["install", tarball]);
});

function npm(args: readonly string[]): void {
  const run = spawnSync(isWindows ? "npm.cmd" : "npm", [...args], {
    cwd: path.join(scratch, "user"),
    encoding: "utf8",
    env,
    shell: isWindows,
  });
  assert.equal(run.status, 0, run.stderr);
}

/** Runs the installed command where it is installed. */
function isolens(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string }> {
  const script = path.join(scratch, "user/node_modules/isolens/dist/cli.js");
  return new Promise((resolve) => {
    const options = { cwd: path.join(scratch, "user"), env };
    execFile(process.execPath, [script, ...args], options, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out: out + err });
    });
  });
}

describe("the npm package", () => {
  it("is below 14 MB and 60 files, and brings nothing else along", () => {
    assert.ok(statSync(tarball).size < 14e6);
    const modules = path.join(scratch, "user/node_modules");
    const files = readdirSync(path.join(modules, "isolens"), { recursive: true, encoding: "utf8" });
    const plain = files.filter((file) => statSync(path.join(modules, "isolens", file)).isFile());
    assert.ok(plain.length < 60, plain.join("\n"));
    const others = readdirSync(modules).filter((name) => !name.startsWith("."));
    assert.deepEqual(others, ["isolens"]);
  });

  it("checks, shows and fixes", async () => {
    const check = await isolens("check", "bank", "--format", "json");
    assert.equal(check.code, 1);
    const [report] = JSON.parse(check.out) as readonly [
      { readonly anomalies: readonly { readonly id: string }[] },
    ];
    const id = report.anomalies[0]?.id ?? "";
    const show = await isolens("show", "bank", "--anomaly", id);
    assert.equal(show.code, 0, show.out);
    assert.match(show.out, /withdraw/u);
    const fix = await isolens("fix", "bank", "--anomaly", id, "--dry-run");
    assert.equal(fix.code, 0, fix.out);
    assert.match(fix.out, /^@@ .*(?:\n[ +-].*)*\n\+/mu);
  });

  it("judges runs, explores client programs, and tells of the rest", async () => {
    const histories = path.join(root, "test/data/histories");
    const history = await isolens("history", path.join(histories, "lost-update.txt"));
    assert.equal(history.code, 1, history.out);
    const program = path.join(root, "test/clients/courseware/removed.client.json");
    assert.equal((await isolens("explore", program)).code, 1);
    for (const command of ["serve", "record", "replay", "testgen", "mcp", "lsp"]) {
      const help = await isolens(command, "--help");
      assert.equal(help.code, 0, help.out);
      assert.match(help.out, new RegExp(`isolens ${command}`, "u"));
    }
  });

  it("is the library isolens/store", () => {
    const script = `
      import { openStore } from "isolens/store";
      const store = await openStore({ protocol: "postgres", level: "serializable" });
      console.log(typeof store.close);
      await store.close();
    `;
    const run = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: path.join(scratch, "user"),
      encoding: "utf8",
      env,
    });
    assert.equal(run.stdout, "function\n", run.stderr);
  });

  it("is installed as the container file does", () => {
    const file = readFileSync(path.join(root, "Dockerfile"), "utf8");
    const [, options = ""] = /^RUN npm install (.*) \/package\//mu.exec(file) ?? [];
    assert.match(options, /--global/u);
    const prefix = path.join(scratch, "container");
    npm(["install", "--prefix", prefix, ...options.split(" "), tarball]);
    const run = spawnSync(path.join(prefix, "bin", "isolens"), ["check", "."], {
      cwd: path.join(scratch, "user/bank"),
      encoding: "utf8",
      env: { ...env, ISOLENS_CACHE: "off" },
    });
    assert.equal(run.status, 1, run.stderr);
    assert.match(run.stdout, /withdraw/u);
  });
});

describe("the action", () => {
  const run = (inputs: Readonly<Record<string, string>>) => {
    const temporary = mkdtempSync(path.join(scratch, "runner-"));
    // The action ran before in this job.
    writeFileSync(path.join(temporary, "isolens.sarif"), "{}");
    const workspace = path.join(scratch, "user");
    const given = { package: tarball, ...inputs };
    return runAction(path.join(root, "action.yml"), given, { workspace, temporary, env });
  };

  it("marks findings at their lines, writes SARIF for code scanning, and fails", () => {
    const { code, out, outputs, used } = run({ path: "bank" });
    assert.equal(code, 1, out);
    assert.match(out, /^::error file=bank\/bank\.sql,line=11/mu);
    const sarif = JSON.parse(readFileSync(outputs.get("sarif") ?? "", "utf8")) as {
      readonly runs: readonly { readonly results: readonly unknown[] }[];
    };
    assert.ok((sarif.runs[0]?.results.length ?? 0) > 0);
    assert.deepEqual(used, ["github/codeql-action/upload-sarif@v3"]);
  });

  it("takes a level, what fails it, and a path with any sign", () => {
    const folder = "the $HOME of 'bank' & \"co\"";
    const user = path.join(scratch, "user");
    cpSync(path.join(user, "bank"), path.join(user, folder), { recursive: true });
    const inputs = { path: folder, level: "postgres:serializable", "fail-on": "unknown" };
    const { code, out, outputs } = run(inputs);
    assert.equal(code, 0, out);
    assert.ok(outputs.has("sarif"));
    rmSync(path.join(user, folder), { recursive: true });
  });

  it("says what is wrong where it is asked for something else, and has no SARIF", () => {
    const { code, out, outputs } = run({ level: "none" });
    assert.equal(code, 3);
    assert.match(out, /unknown level|no level/iu);
    assert.equal(outputs.size, 0);
  });

  it("installs the version that it is part of", () => {
    const text = readFileSync(path.join(root, "action.yml"), "utf8");
    assert.match(text, new RegExp(`default: isolens@${version.replaceAll(".", "\\.")}$`, "mu"));
  });
});

describe("the hook of pre-commit", () => {
  const text = readFileSync(path.join(root, ".pre-commit-hooks.yaml"), "utf8");

  it("runs the version that it is part of, and fails on what is found", () => {
    const entry = /^ {2}entry: (.*)$/mu.exec(text)?.[1] ?? "";
    const args = /^ {2}args: \[(.*)\]$/mu.exec(text)?.[1] ?? "";
    assert.ok(entry.includes(`isolens@${version} `), entry);
    const [command = "", ...first] = entry.split(" ");
    const rest = args.split(", ").map((each) => each.replace(/^"(.*)"$/u, "$1"));
    const run = spawnSync(command, [...first, ...rest], {
      cwd: path.join(scratch, "user"),
      encoding: "utf8",
      env,
      shell: isWindows,
    });
    assert.equal(run.status, 1, run.stderr);
    assert.match(run.stdout, /withdraw/u);
  });
});
