// Starts tree-sitter's runtime, compiled to WebAssembly, and a new one after a trap. A trap leaves a runtime's memory and tables in an
// undefined state, and its script keeps its first runtime; so each runtime has its own script, and nothing of a trapped one is called
// again.
import { createRequire } from "node:module";
import type * as TreeSitter from "web-tree-sitter";
import type { CodeLanguage } from "../frontend/code/workspace/codeParsers";
import { packageBytes, packageFile } from "./packageFile";
import type { RuntimeMemory } from "./runtimeTrees";
import { delayTierUp } from "./tierUp";

type Script = typeof TreeSitter;

/** A started runtime. Its objects must not be used with another one. */
export interface TreeSitterRuntime {
  readonly script: Script;
  /** The runtime's memory, as a member of the script. */
  readonly memory: Partial<RuntimeMemory>;
}

export interface RuntimeSupply {
  /** The current runtime; undefined while none is ready. */
  current(): TreeSitterRuntime | undefined;
  /** Discards a runtime. The spare one becomes current, and another one is started. */
  discard(runtime: TreeSitterRuntime): void;
}

/** The process's runtimes, all ready. Rejects if a file of the runtime is missing or unsuitable. */
export async function openRuntimes(): Promise<RuntimeSupply> {
  while (ready.length < INSTANCES) await start();
  return {
    current: () => ready[0],
    discard: (runtime) => {
      const at = ready.indexOf(runtime);
      if (at === -1) return;
      ready.splice(at, 1);
      silence(runtime);
      refill();
    },
  };
}

/** The compiled grammar of a language. Throws if its file is missing or unsuitable. */
export function grammarModule(language: CodeLanguage): WebAssembly.Module {
  return compiled("@vscode/tree-sitter-wasm", `wasm/tree-sitter-${language}.wasm`);
}

/** Readings are synchronous for a while and cannot wait for another runtime after a trap. */
const INSTANCES = 2;

const ready: TreeSitterRuntime[] = [];
const modules = new Map<string, WebAssembly.Module>();

async function start(): Promise<void> {
  const script = loadScript();
  const module = compiled("web-tree-sitter", "web-tree-sitter.wasm");
  // The script works on this object and stores its memory in it.
  const memory: Partial<RuntimeMemory> & StartOptions = {
    instantiateWasm: (imports, use) => {
      const instance = new WebAssembly.Instance(module, imports);
      use(instance, module);
      return instance.exports;
    },
  };
  await script.Parser.init(memory);
  ready.push({ script, memory });
}

interface StartOptions {
  readonly instantiateWasm: (
    imports: object,
    use: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => object;
}

function refill(): void {
  // A runtime that does not start is one less: if none is left, each text counts as unread.
  start().catch(() => undefined);
}

/** The garbage collector calls into a runtime long after its last use; a trapped one must not be called. */
function silence({ memory }: TreeSitterRuntime): void {
  for (const name of Object.keys(memory)) {
    if (name.startsWith("_")) Reflect.set(memory, name, () => 0);
  }
}

function loadScript(): Script {
  const file = packageFile("web-tree-sitter", "web-tree-sitter.cjs");
  const own = createRequire(file);
  Reflect.deleteProperty(own.cache, file);
  // The package's own types.
  return own(file) as Script;
}

function compiled(packageName: string, file: string): WebAssembly.Module {
  const known = modules.get(file);
  if (known) return known;
  delayTierUp();
  const module = new WebAssembly.Module(packageBytes(packageName, file));
  modules.set(file, module);
  return module;
}
