// Bundles the extension, the language server, the solver worker, the CLI and the webview into dist/,
// puts the WASM of the solver and of the parser beside them, checks every bundle against its size budget, and writes
// the licenses of all that lies there.
//
//   node esbuild.mjs                    everything
//   node esbuild.mjs --only=cli,worker  some bundles (others are left as they are)
//   node esbuild.mjs --watch            everything, again after each change, unminified
import * as esbuild from "esbuild";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { noticesOf, packageOf } from "./notices.mjs";
import { withoutNames } from "./packaging/wasmNames.mjs";

const root = path.dirname(fileURLToPath(import.meta.url));
const outdir = path.join(root, "dist");
const require = createRequire(import.meta.url);

// Budgets in kB, minified. A bundle that outgrows its own has usually pulled in something by accident.
const bundles = [
  { name: "extension", entry: "client/src/extension.ts", budget: 500 },
  { name: "server", entry: "server/src/server.ts", budget: 1020 },
  { name: "check", entry: "server/src/checkWorker.ts", budget: 2300 },
  { name: "worker", entry: "server/src/worker.ts", budget: 465 },
  { name: "history", entry: "server/src/historyWorker.ts", budget: 200 },
  { name: "explore", entry: "server/src/exploreWorker.ts", budget: 2850 },
  { name: "record", entry: "server/src/recordWorker.ts", budget: 100 },
  { name: "database", entry: "server/src/database.ts", budget: 4200 },
  { name: "store", entry: "server/src/library.ts", budget: 860 },
  { name: "cli", entry: "server/src/cli.ts", budget: 2640 },
  { name: "webview", entry: "webview/src/main.ts", budget: 220, styles: 30 },
];

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
  options: { only: { type: "string" }, watch: { type: "boolean", default: false } },
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

/** Build options of one bundle. */
function configure(bundle) {
  const common = {
    absWorkingDir: root,
    entryPoints: { [bundle.name]: bundle.entry },
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
  if (bundle.name === "webview") {
    return { ...common, platform: "browser", target: "es2022", format: "iife" };
  }
  return {
    ...common,
    platform: "node",
    target: "node20",
    // Tables of character sets take half the bytes that their escapes do; Node.js reads scripts as UTF-8.
    charset: "utf8",
    format: "cjs",
    external: bundle.name === "extension" ? ["vscode"] : [],
    plugins: [keepSolverOutside, oneDialectPerImport],
    // Some dependencies publish an ES module beside a UMD one whose requires cannot be followed.
    mainFields: ["module", "main"],
    banner: bundle.name === "cli" ? { js: "#!/usr/bin/env node" } : {},
  };
}

/** Those asked for by --only, or all. Ends with a message on an unknown name. */
function selected() {
  if (options.only === undefined) return bundles;
  const names = options.only.split(",");
  const known = bundles.map((bundle) => bundle.name);
  for (const name of names) {
    if (!known.includes(name)) fail([`Unknown bundle "${name}": there are ${known.join(", ")}.`]);
  }
  return bundles.filter((bundle) => names.includes(bundle.name));
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
function checkSizes(built) {
  const problems = [];
  for (const { bundle, metafile } of built) {
    for (const [file, output] of Object.entries(metafile.outputs)) {
      const extension = path.extname(file);
      if (extension === ".map") continue;
      const limit = extension === ".css" ? (bundle.styles ?? 0) : bundle.budget;
      const size = Math.ceil(output.bytes / 1000);
      console.log(`${file.padEnd(20)} ${String(size).padStart(5)} kB of ${limit} kB`);
      if (size > limit) problems.push(`${file} has ${size} kB, its budget is ${limit} kB.`);
    }
  }
  return problems;
}

/** Writes the licenses of what is bundled or copied; returns what is wrong with them. */
async function writeNotices(built) {
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
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

async function buildAll(chosen) {
  const missing = chosen.filter((bundle) => !existsSync(path.join(root, bundle.entry)));
  const present = chosen.filter((bundle) => !missing.includes(bundle));
  const results = await Promise.allSettled(
    present.map((bundle) => esbuild.build(configure(bundle))),
  );
  const built = [];
  const problems = missing.map(
    (bundle) => `${bundle.entry}, the entry of dist/${bundle.name}.js, is missing.`,
  );
  results.forEach((result, at) => {
    const bundle = present[at];
    if (result.status === "fulfilled") built.push({ bundle, metafile: result.value.metafile });
    else problems.push(`dist/${bundle.name}.js: ${result.reason.message}`);
  });
  problems.push(...checkSizes(built));
  // Some bundles alone do not tell what the others hold.
  if (built.length === bundles.length) problems.push(...(await writeNotices(built)));
  if (problems.length > 0) fail(problems);
}

const chosen = selected();
await copyAssets();
if (options.watch) {
  for (const bundle of chosen) {
    const context = await esbuild.context({ ...configure(bundle), logLevel: "info" });
    await context.watch();
  }
} else {
  await buildAll(chosen);
}
