// The files of the package, and the licenses of the packages that these contain.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { noticesOf, packageOf } from "../../notices.mjs";
import { withoutNames } from "../../packaging/wasmNames.mjs";
import { KINDS } from "../../server/src/analysis/explain/kinds/kinds";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const dist = path.join(root, "dist");
const scratch = mkdtempSync(path.join(os.tmpdir(), "isolens-package-"));
after(() => {
  rmSync(scratch, { recursive: true, force: true });
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;

/** The folders of the packages that the source maps of the bundles name. */
function mappedPackages(): readonly string[] {
  const maps = readdirSync(dist).filter((file) => file.endsWith(".js.map"));
  const sources = maps.flatMap((map) => {
    const { sources } = JSON.parse(readFileSync(path.join(dist, map), "utf8")) as {
      readonly sources: readonly string[];
    };
    return sources.map((source) => path.resolve(dist, source).split(path.sep).join("/"));
  });
  return [...new Set(sources.flatMap((source) => packageOf(source) ?? []))].sort();
}

/** A package with these files, in a folder of its own. */
function writePackage(name: string, license: unknown, files: Readonly<Record<string, string>>) {
  const folder = path.join(scratch, "node_modules", name);
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.stringify({ name, version: "1.2.3", license });
  for (const [file, text] of Object.entries({ ...files, "package.json": manifest })) {
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

describe("the notices beside the bundles", () => {
  const notices = readFileSync(path.join(dist, "THIRD_PARTY_NOTICES.txt"), "utf8");

  it("name every package of which a bundle holds code, with version, license and its text", () => {
    const packages = mappedPackages();
    assert.ok(packages.length > 20, String(packages.length));
    for (const folder of packages) {
      const { name, version, license } = manifestIn(folder);
      assert.ok(notices.includes(`\n${name} ${version} (${license})\n`), name);
      const own = readdirSync(folder).find((file) => /^licen[cs]e/iu.test(file));
      if (own === undefined) continue;
      const text = readFileSync(path.join(folder, own), "utf8").trim();
      assert.ok(notices.includes(text), `${name}: ${own}`);
    }
  });

  it("name the packages of every script and WASM that is copied", () => {
    const copied = ["z3-solver", "libpg-query", "web-tree-sitter", "@vscode/tree-sitter-wasm"];
    for (const name of copied) {
      const { version, license } = manifestIn(path.join(root, "node_modules", name));
      assert.ok(notices.includes(`\n${name} ${version} (${license})\n`), name);
    }
  });
});

describe("a package that the build finds", () => {
  it("is told with what its README says where it has no file of its license", () => {
    const readme = "# said\n\n## License\n\nCopyright Ann. Free for all.\n\n## More\n\nOther.\n";
    const { text, problems } = noticesOf([writePackage("said", "MIT", { "README.md": readme })]);
    assert.deepEqual(problems, []);
    assert.match(text, /said 1\.2\.3 \(MIT\)/);
    assert.match(text, /Copyright Ann\. Free for all\.\n$/);
  });

  for (const license of ["GPL-3.0-only", "SSPL-1.0", undefined])
    it(`ends it when its license is ${String(license)}`, () => {
      const folder = writePackage("other", license, { LICENSE: "Terms." });
      assert.match(noticesOf([folder]).problems.join(), /other 1\.2\.3 .* is not one of/);
    });

  it("ends it when there is no text of a license", () => {
    const folder = writePackage("silent", "MIT", { "README.md": "# silent\n" });
    assert.match(noticesOf([folder]).problems.join(), /silent 1\.2\.3 .* holds no text/);
  });

  it("is told by its own folder where it lies inside another's", () => {
    const inner = "/a/node_modules/x/node_modules/@y/z";
    assert.equal(packageOf(`${inner}/lib/i.js`), inner);
    assert.equal(packageOf("/a/server/src/cli.ts"), undefined);
  });
});

describe("a module of WASM", () => {
  const text = (name: string): readonly number[] => [name.length, ...Buffer.from(name)];
  const section = (id: number, bytes: readonly number[]): readonly number[] => [
    ...[id, 0x80 | bytes.length, 0],
    ...bytes,
  ];
  const header = [...Buffer.from("\0asm"), 1, 0, 0, 0];
  const types = section(1, [1, 0x60, 0, 0]);
  const own = section(0, [...text("isolens"), 4, 0]);
  const names = section(0, [...text("name"), 1, 2, 0, 1]);

  it("is shipped without its names, and with all else", () => {
    const shipped = withoutNames(Buffer.from([...header, ...own, ...names, ...types]));
    assert.deepEqual([...shipped], [...header, ...own, ...types]);
    assert.ok(WebAssembly.validate(Buffer.from(shipped)));
  });

  it("ends the build where it is cut or none", () => {
    for (const bytes of [[...header, ...types.slice(0, -1)], header.slice(1), header.slice(0, 7)])
      assert.throws(() => withoutNames(Buffer.from(bytes)), /WASM module/);
  });
});

describe("the files of the package", () => {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const options = ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline"];
  const packed = JSON.parse(
    execFileSync(npm, options, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      shell: process.platform === "win32",
    }),
  ) as readonly { readonly files: readonly { readonly path: string }[] }[];
  const files = packed.flatMap((each) => each.files.map((file) => file.path));

  it("hold every bundle, script and WASM of the build, and the notices", () => {
    const shipped = readdirSync(dist).filter((file) => /\.(?:wasm|txt)$|^z3-built/u.test(file));
    for (const file of [...shipped, "cli.js", "extension.js", "store.js", "webview.css"]) {
      assert.ok(files.includes(`dist/${file}`), file);
    }
  });

  it("hold the page of every kind of anomaly, so that it can be read offline", () => {
    for (const { name } of KINDS) assert.ok(files.includes(`docs/anomalies/${name}.md`), name);
  });

  it("hold neither tests nor sources nor source maps", () => {
    const other = files.filter(
      (file) => /\.map$|^test\/|\/src\//u.test(file) && !file.endsWith(".d.ts"),
    );
    assert.deepEqual(other, []);
  });
});
