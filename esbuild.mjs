// Bundles the extension, the language server, the solver worker, the CLI and the webview into dist/,
// puts the WASM of the solver and of the parser beside them, checks every bundle against its size budget, and writes
// the licenses of all that lies there. Programs that run beside each other share the parts that they have in common.
//
//   node esbuild.mjs          everything
//   node esbuild.mjs --watch  everything, again after each change, unminified
import * as esbuild from "esbuild";
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { noticesOf, packageOf } from "./notices.mjs";
import { withoutNames } from "./packaging/wasmNames.mjs";

const root = path.dirname(fileURLToPath(import.meta.url));
const outdir = path.join(root, "dist");
const require = createRequire(import.meta.url);

// Budgets in kB, minified, of a bundle and the parts that it loads. One that outgrows its own has usually pulled in something by
// accident. `reads`: it holds the readers of SQL and code, which those bundles share as parts of their own.
const bundles = [
  { name: "extension", entry: "client/src/extension.ts", budget: 500 },
  { name: "server", entry: "server/src/server.ts", budget: 1050 },
  { name: "check", entry: "server/src/checkWorker.ts", budget: 2650, reads: true },
  { name: "worker", entry: "server/src/worker.ts", budget: 500 },
  { name: "history", entry: "server/src/historyWorker.ts", budget: 200 },
  { name: "explore", entry: "server/src/exploreWorker.ts", budget: 3100, reads: true },
  { name: "record", entry: "server/src/recordWorker.ts", budget: 100 },
  { name: "database", entry: "server/src/database.ts", budget: 4450, reads: true },
  { name: "store", entry: "server/src/library.ts", budget: 900 },
  { name: "cli", entry: "server/src/cli.ts", budget: 2850, reads: true },
  { name: "webview", entry: "webview/src/main.ts", budget: 220, styles: 30 },
];

/** Parts carry a digest of their content, so that parts of an earlier build would stay. */
const PART = /^part-\w+\.js(?:\.map)?$/u;

// Files that their owners load from the folder of the running script: package and path in it.
const SOLVER_SCRIPT = "build/z3-built.js";
const assets = [
  ["z3-solver", SOLVER_SCRIPT],
  ["z3-solver", "build/z3-built.wasm"],
  ["libpg-query", "wasm/libpg-query.wasm"],
  ["web-tree-sitter", "web-tree-sitter.cjs"],
  ["web-tree-sitter", "web-tree-sitter.wasm"],
  ...["typescript", "tsx", "javascript", "java"].map((language) => [
    "@vscode/tree-sitter-wasm",
    `wasm/tree-sitter-${language}.wasm`,
  ]),
];

const { values: options } = parseArgs({
  options: { watch: { type: "boolean", default: false } },
});

/**
 * The solver's script starts threads from its own file name, so it must stay a file of its own:
 * inside a bundle each thread would run the whole bundle again.
 */
const keepSolverOutside = {
  name: "keep-solver-outside",
  setup(build) {
    build.onResolve({ filter: /(^|\/)z3-built(\.js)?$/ }, () => ({
      path: "./z3-built.js",
      external: true,
    }));
  },
};

/** The package's main entry holds every dialect (several MB); the builds per dialect hold one each. */
const oneDialectPerImport = {
  name: "one-dialect-per-import",
  setup(build) {
    build.onResolve({ filter: /^node-sql-parser$/ }, () => ({
      errors: [{ text: 'Import one dialect, as in "node-sql-parser/build/postgresql".' }],
    }));
  },
};

/** Build options of some bundles. */
function configure(some) {
  const common = {
    absWorkingDir: root,
    entryPoints: Object.fromEntries(some.map(({ name, entry }) => [name, entry])),
    outdir,
    bundle: true,
    minify: !options.watch,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    define: { "process.env.NODE_ENV": '"production"' },
  };
  if (some.some(({ name }) => name === "webview")) {
    return { ...common, platform: "browser", target: "es2022", format: "iife" };
  }
  return {
    ...common,
    ...ON_NODE,
    format: "cjs",
    external: some.some(({ name }) => name === "extension") ? ["vscode"] : [],
    plugins: [keepSolverOutside, oneDialectPerImport],
    // Some dependencies publish an ES module beside a UMD one whose requires cannot be followed.
    mainFields: ["module", "main"],
  };
}

// Tables of character sets take half the bytes that their escapes do; Node.js reads scripts as UTF-8.
const ON_NODE = { platform: "node", target: "node20", charset: "utf8" };

/** Builds bundles that share their parts. Only ES modules can be split, and an extension host loads none: each is made CommonJS. */
async function buildShared(some) {
  const between = await mkdtemp(path.join(os.tmpdir(), "isolens-build-"));
  try {
    const split = await esbuild.build({
      ...configure(some),
      outdir: between,
      format: "esm",
      splitting: true,
      chunkNames: "part-[hash]",
    });
    const modules = await readdir(between);
    for (const file of await readdir(outdir))
      if (PART.test(file) && !modules.includes(file)) await rm(path.join(outdir, file));
    await esbuild.build({
      ...ON_NODE,
      entryPoints: modules
        .filter((file) => file.endsWith(".js"))
        .map((file) => path.join(between, file)),
      outdir,
      format: "cjs",
      // What a module exports by default would be wrapped once more by an import of Node's own.
      supported: { "dynamic-import": false },
      minify: true,
      sourcemap: true,
      sourcesContent: false,
      logLevel: "warning",
    });
    return split.metafile;
  } finally {
    await rm(between, { recursive: true, force: true });
  }
}

function fail(lines) {
  for (const line of lines) console.error(`error: ${line}`);
  process.exit(1);
}

/** The files that "record" gives to the applications that it runs. */
const hooks = ["sitecustomize.py", "node.cjs", "nodeModules.mjs", "isolens_record.rb"];

async function copyAssets() {
  await mkdir(path.join(outdir, "hooks"), { recursive: true });
  for (const hook of hooks)
    await copyFile(path.join(root, "server", "hooks", hook), path.join(outdir, "hooks", hook));
  for (const [name, asset] of assets) {
    const from = path.join(packageFolder(name), asset);
    if (!existsSync(from)) fail([`${name}/${asset} is missing: run "npm ci" first.`]);
    const to = path.join(outdir, path.basename(asset));
    const bytes = await readFile(from);
    const shipped = asset.endsWith(".wasm")
      ? withoutNames(bytes)
      : asset === SOLVER_SCRIPT
        ? solverScript(bytes)
        : bytes;
    if (!existsSync(to) || !shipped.equals(await readFile(to))) await writeFile(to, shipped);
  }
}

/**
 * The solver's script without the check of its own table of functions at every call between its functions, which is a
 * seventh of the time of all questions; the package is built for debugging.
 */
function solverScript(bytes) {
  const text = bytes.toString("utf8");
  const check = /^ *assert\(wasmTable\.get\(funcPtr\) == func, .*\);$/gmu;
  if (text.match(check)?.length !== 1)
    fail([`${SOLVER_SCRIPT} is not the script that is known here.`]);
  return Buffer.from(text.replace(check, ""));
}

/** Where a package is installed, without going through its exports. */
function packageFolder(name) {
  for (const folder of require.resolve.paths(name) ?? []) {
    if (existsSync(path.join(folder, name))) return path.join(folder, name);
  }
  return fail([`The package ${name} is not installed: run "npm ci" first.`]);
}

/** Prints a line per bundle; returns what is over its budget. */
function checkSizes(some, { outputs }) {
  return some.flatMap(({ entry, budget, styles }) => {
    const [file, { cssBundle }] = Object.entries(outputs).find(
      ([, { entryPoint }]) => entryPoint === entry,
    );
    const sizes = [[file, budget], ...(cssBundle ? [[cssBundle, styles]] : [])];
    return sizes.flatMap(([each, limit]) => {
      const bytes = [...loaded(each, outputs)].reduce((sum, part) => sum + outputs[part].bytes, 0);
      const size = Math.ceil(bytes / 1000);
      const name = path.basename(each);
      console.log(`${name.padEnd(20)} ${String(size).padStart(5)} kB of ${limit} kB`);
      return size > limit ? [`${name} has ${size} kB, its budget is ${limit} kB.`] : [];
    });
  });
}

/** A file of the build and the parts that it imports, directly or not. */
function loaded(file, outputs, known = new Set()) {
  if (known.has(file)) return known;
  known.add(file);
  for (const { path: part } of outputs[file].imports)
    if (part in outputs) loaded(part, outputs, known);
  return known;
}

/** Writes the licenses of what is bundled or copied; returns what is wrong with them. */
async function writeNotices(built) {
  const inputs = built.flatMap(({ inputs }) => Object.keys(inputs));
  const bundled = inputs.flatMap((input) => packageOf(path.posix.join(slashed(root), input)) ?? []);
  const copied = assets.map(([name]) => slashed(packageFolder(name)));
  const { text, problems } = noticesOf(new Set([...bundled, ...copied]));
  await writeFile(path.join(outdir, "THIRD_PARTY_NOTICES.txt"), text);
  return problems;
}

/** esbuild names its inputs with slashes on every system. */
function slashed(file) {
  return file.split(path.sep).join("/");
}

async function buildAll() {
  const readers = bundles.filter(({ reads }) => reads);
  const groups = [readers, ...bundles.filter(({ reads }) => !reads).map((bundle) => [bundle])];
  const metafiles = await Promise.all(
    groups.map(async (group) =>
      group === readers ? buildShared(group) : (await esbuild.build(configure(group))).metafile,
    ),
  );
  const problems = groups.flatMap((group, at) => checkSizes(group, metafiles[at]));
  problems.push(...(await writeNotices(metafiles)));
  if (problems.length > 0) fail(problems);
}

await copyAssets();
if (options.watch) {
  for (const bundle of bundles) {
    const context = await esbuild.context({ ...configure([bundle]), logLevel: "info" });
    await context.watch();
  }
} else {
  await buildAll();
}
