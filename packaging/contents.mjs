// The parts of the build that are shipped: for npm the command line and its server, for editors the extension. Both hold everything that
// they run, so neither has dependencies.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * @typedef {import("./vsix.mjs").Manifest} Manifest
 *
 * @typedef {object} Contents
 * @property {Manifest} manifest
 * @property {ReadonlyMap<string, Uint8Array>} files by their paths, with slashes
 */

/**
 * The files of the npm package: all but what an editor alone shows.
 *
 * @returns {Contents}
 */
export function npmContents() {
  const {
    main: _main,
    contributes: _contributes,
    activationEvents: _events,
    ...rest
  } = ownManifest();
  return contentsOf(
    rest,
    (file) => !/^(?:client\/|webview\/|dist\/(?:extension|webview)\.)/u.test(file),
  );
}

/**
 * The files of the extension: all but the library that tests of applications import.
 *
 * @returns {Contents}
 */
export function extensionContents() {
  const { exports: _exports, bin: _bin, ...rest } = ownManifest();
  return contentsOf(rest, (file) => !/^dist\/store\.js$|\.d\.ts$/u.test(file));
}

/** The manifest without what is only for this repository. */
function ownManifest() {
  const own = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  for (const name of REPOSITORY_ALONE) Reflect.deleteProperty(own, name);
  return own;
}

const REPOSITORY_ALONE = [
  "private",
  "files",
  "scripts",
  "devDependencies",
  "dependencies",
  "optionalDependencies",
  "overrides",
];

/**
 * @param {any} manifest
 * @param {(file: string) => boolean} isShipped
 * @returns {Contents}
 */
function contentsOf(manifest, isShipped) {
  const files = new Map(
    listedFiles()
      .filter((file) => isShipped(file))
      .map((file) => [file, readFileSync(path.join(root, file))]),
  );
  files.set("package.json", Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`, "utf8"));
  return { manifest, files };
}

/**
 * Paths of the files that the manifest's `files` name, as npm reads them.
 *
 * @returns {readonly string[]}
 */
function listedFiles() {
  const isWindows = process.platform === "win32";
  const packed = execFileSync(
    isWindows ? "npm.cmd" : "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], shell: isWindows },
  );
  /** @type {readonly { readonly files: readonly { readonly path: string }[] }[]} */
  const packages = JSON.parse(packed);
  return packages.flatMap(({ files }) => files.map((file) => file.path));
}
