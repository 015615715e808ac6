// Loads the modules of a code client: TypeScript and ES modules become CommonJS, its own files are evaluated afresh for every run of a
// session, and packages are those installed beside it.
import { statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import vm from "node:vm";
import { transform, type Transform } from "sucrase";
import { readTextFileNow } from "../../workspace/textFile";

export interface CodeModules {
  /** Evaluates the program's file and returns its exports. Throws what it throws. */
  readonly run: () => Readonly<Record<string, unknown>>;
  /** Absolute paths of the files that were read. */
  readonly files: () => readonly string[];
}

/** A mistake in a file of the program, such as a syntax error. */
export class ModuleFault extends Error {
  constructor(
    message: string,
    readonly file: string,
    readonly line: number | undefined,
  ) {
    super(message);
    this.name = "ModuleFault";
  }
}

type Factory = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: unknown },
  filename: string,
  dirname: string,
) => void;

/** The modules of a program, by absolute path. `openTexts` replaces files on disk. */
export function codeModules(entry: string, openTexts: ReadonlyMap<string, string>): CodeModules {
  const factories = new Map<string, Factory>();

  function factoryOf(file: string): Factory {
    const known = factories.get(file);
    if (known !== undefined) return known;
    const text = textOf(file, openTexts);
    const script = new vm.Script(wrapped(commonJs(text, file)), { filename: file });
    // The wrapper is ours; its body is the program's code.
    const factory = script.runInThisContext() as Factory;
    factories.set(file, factory);
    return factory;
  }

  function run(): Readonly<Record<string, unknown>> {
    const loaded = new Map<string, { exports: unknown }>();
    const load = (file: string): unknown => {
      const known = loaded.get(file);
      if (known !== undefined) return known.exports;
      const module: { exports: unknown } = { exports: {} };
      loaded.set(file, module);
      if (path.extname(file) === ".json") {
        module.exports = JSON.parse(textOf(file, openTexts));
        return module.exports;
      }
      const packages = createRequire(file);
      const require = (name: string): unknown => {
        if (!/^\.{0,2}\//u.test(name)) return packages(name) as unknown;
        const found = resolved(path.resolve(path.dirname(file), name), file);
        if (found === undefined)
          throw new ModuleFault(`there is no file "${name}" to be imported`, file, undefined);
        return load(found);
      };
      factoryOf(file)(module.exports as object, require, module, file, path.dirname(file));
      return module.exports;
    };
    const given = load(entry);
    if (typeof given !== "object" || given === null)
      throw new ModuleFault("it exports nothing that has a name", entry, undefined);
    return given as Readonly<Record<string, unknown>>;
  }

  return { run, files: () => [...factories.keys()] };
}

/** The wrapper is on the first line, to keep the user's line numbers. */
function wrapped(code: string): string {
  return `(function (exports, require, module, __filename, __dirname) {${code}\n})`;
}

function commonJs(text: string, file: string): string {
  const transforms: Transform[] = [];
  if (/\.[mc]?ts$/u.test(file)) transforms.push("typescript");
  if (!file.endsWith(".cjs")) transforms.push("imports");
  try {
    return transform(text, {
      transforms,
      filePath: file,
      production: true,
      disableESTransforms: true,
    }).code;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = /\((\d+):\d+\)\s*$/u.exec(message)?.[1];
    const plain = message
      .replace(/^Error transforming [^:]*: /u, "")
      .replace(/\s*\(\d+:\d+\)$/u, "");
    throw new ModuleFault(plain, file, line === undefined ? undefined : Number(line));
  }
}

const EXTENSIONS = [
  "",
  ".ts",
  ".js",
  ".mts",
  ".mjs",
  ".cts",
  ".cjs",
  ".json",
  "/index.ts",
  "/index.js",
];

/** A TypeScript file may be imported under its JavaScript name. */
function resolved(wanted: string, from: string): string | undefined {
  const names = EXTENSIONS.map((extension) => wanted + extension);
  const source = /\.([mc]?)js$/u.exec(wanted);
  if (source) names.push(wanted.replace(/js$/u, "ts"));
  try {
    return names.find((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED"))
      throw error;
    const message = `${wanted} is not of this client program's package, which is all that it may read; "isolens explore --allow" gives it everything`;
    throw new ModuleFault(message, from, undefined);
  }
}

/** The text of a file; the sandbox decides which files may be read. */
function textOf(file: string, openTexts: ReadonlyMap<string, string>): string {
  const open = openTexts.get(file);
  if (open !== undefined) return open;
  const read = readTextFileNow(file, { workspace: path.parse(file).root });
  if (!read.ok) throw new ModuleFault(read.reason, file, undefined);
  return read.text;
}
