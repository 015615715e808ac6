// Z3 compiled to WebAssembly, called directly through its synchronous C functions, with strings copied in and out of its memory. The
// package's own interface is asynchronous and 5 to 10 ms slower per call; its types do not cover these functions, so everything used here
// is checked when the module is loaded.
import { SolverError } from "../solver/solver";
import { reasonOf } from "../protocol/fault";
import { exceptionCalls } from "./exceptionCalls";
import type { Imports } from "./exceptionCalls";
import { packageBytes } from "./packageFile";
import { delayTierUp } from "./tierUp";

/** Addresses in Z3's memory. */
export type Pointer = number;

/** The used C functions; all arguments and results are 32-bit numbers. */
const FUNCTIONS = [
  "malloc",
  "free",
  "set_noop_error_handler",
  "Z3_mk_config",
  "Z3_del_config",
  "Z3_mk_context",
  "Z3_del_context",
  "Z3_get_error_code",
  "Z3_get_error_msg",
  "Z3_get_full_version",
  "Z3_mk_string_symbol",
  "Z3_mk_bool_sort",
  "Z3_mk_int_sort",
  "Z3_mk_const",
  "Z3_mk_int",
  "Z3_mk_numeral",
  "Z3_mk_func_decl",
  "Z3_mk_app",
  "Z3_mk_params",
  "Z3_params_inc_ref",
  "Z3_params_dec_ref",
  "Z3_params_set_uint",
  "Z3_mk_simple_solver",
  "Z3_solver_inc_ref",
  "Z3_solver_dec_ref",
  "Z3_solver_set_params",
  "Z3_solver_from_string",
  "Z3_solver_check_assumptions",
  "Z3_solver_get_model",
  "Z3_solver_get_unsat_core",
  "Z3_solver_get_reason_unknown",
  "Z3_model_inc_ref",
  "Z3_model_dec_ref",
  "Z3_model_eval",
  "Z3_get_bool_value",
  "Z3_get_numeral_string",
  "Z3_ast_vector_inc_ref",
  "Z3_ast_vector_dec_ref",
  "Z3_ast_vector_size",
  "Z3_ast_vector_get",
] as const;

type Native = Readonly<
  Record<(typeof FUNCTIONS)[number], (...operands: readonly number[]) => number>
>;

export interface Z3Module {
  readonly native: Native;
  /** Writes text into memory during `use`. */
  withText<T>(text: string, use: (at: Pointer) => T): T;
  /** Writes 32-bit numbers into memory during `use`. */
  withWords<T>(words: readonly number[], use: (at: Pointer) => T): T;
  word(at: Pointer): number;
  text(at: Pointer): string;
  /** Bytes of Z3's own objects. */
  allocated(): number;
  /** Runs a call into WASM; exceptions become SolverErrors, and every later call then fails at once. */
  guarded<T>(call: () => T): T;
  /** Stops Z3's threads; nothing may be called afterwards. */
  dispose(): void;
}

/** Loads Z3. Rejects with SolverError "missing" if its files or functions are absent, else "memory" or "crashed". */
export async function loadZ3Module(): Promise<Z3Module> {
  let built: unknown;
  try {
    const script: { readonly default: unknown } = await import("z3-solver/build/z3-built");
    built = script.default;
  } catch (error) {
    throw new SolverError("missing", `Z3's script could not be loaded: ${reasonOf(error)}`);
  }
  if (typeof built !== "function") {
    throw new SolverError("missing", "Z3's script does not export its start function.");
  }
  return checkedModule(await start(built));
}

/** Settings of Emscripten's scripts. */
interface Settings {
  readonly print: () => void;
  readonly printErr: () => void;
  readonly instantiateWasm: (
    imports: Imports,
    use: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => object;
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- the script has no types
async function start(initialise: Function): Promise<unknown> {
  try {
    // Z3 reports internal failures on standard output and error, which our host uses for its protocol.
    const silent = (): void => undefined;
    delayTierUp();
    const bytes = packageBytes("z3-solver", "build/z3-built.wasm");
    const module = await WebAssembly.compile(bytes);
    const settings: Settings = {
      print: silent,
      printErr: silent,
      instantiateWasm: (imports, use) => {
        const calls = exceptionCalls(module, imports);
        const instance = new WebAssembly.Instance(module, calls?.imports ?? imports);
        calls?.connect(instance);
        use(instance, module);
        return instance.exports;
      },
    };
    const started: unknown = await Reflect.apply(initialise, undefined, [settings]);
    return started;
  } catch (error) {
    const message = reasonOf(error);
    if (/memory/i.test(message)) {
      throw new SolverError("memory", `Z3 needs 2 GiB of address space: ${message}`);
    }
    const code = /ENOENT|no such file|not find/i.test(message) ? "missing" : "crashed";
    throw new SolverError(code, `Z3 could not be started: ${message}`);
  }
}

function checkedModule(built: unknown): Z3Module {
  const find = (name: string): ((...operands: readonly unknown[]) => unknown) => {
    const found: unknown =
      typeof built === "object" && built !== null ? Reflect.get(built, name) : undefined;
    if (typeof found !== "function") {
      throw new SolverError("missing", `This build of Z3 has no synchronous function ${name}.`);
    }
    return (...operands) => {
      const result: unknown = Reflect.apply(found, built, operands);
      return result;
    };
  };
  const native = Object.fromEntries(
    FUNCTIONS.map((name) => [name, numeric(find(`_${name}`))]),
    // The keys are exactly FUNCTIONS by construction, which the type of fromEntries cannot express.
  ) as Native;
  const memory = (): Uint8Array => {
    const bytes: unknown =
      typeof built === "object" && built !== null ? Reflect.get(built, "HEAPU8") : undefined;
    if (!(bytes instanceof Uint8Array)) {
      throw new SolverError("missing", "This build of Z3 does not show its memory.");
    }
    return bytes;
  };
  const bytes = memory();
  const words = new Uint32Array(bytes.buffer);
  const readText = find("UTF8ToString");
  const estimate = find("_Z3_get_estimated_alloc_size");
  let dead: SolverError | undefined;

  const guarded = <T>(call: () => T): T => {
    if (dead !== undefined) throw dead;
    try {
      return call();
    } catch (error) {
      if (error instanceof SolverError) throw error;
      dead = crash(error);
      throw dead;
    }
  };
  const allocate = (size: number): Pointer => {
    const at = native.malloc(size);
    if (at === 0) throw new SolverError("memory", "Z3 is out of memory.");
    return at >>> 0;
  };
  return {
    native,
    withText: (text, use) => {
      const encoded = Buffer.from(text, "utf8");
      const at = allocate(encoded.length + 1);
      try {
        bytes.set(encoded, at);
        bytes[at + encoded.length] = 0;
        return use(at);
      } finally {
        native.free(at);
      }
    },
    withWords: (values, use) => {
      const at = allocate(4 * Math.max(1, values.length));
      try {
        words.set(values, at >>> 2);
        return use(at);
      } finally {
        native.free(at);
      }
    },
    word: (at) => words[at >>> 2] ?? 0,
    text: (at) => String(readText(at)),
    allocated: () => Number(estimate()),
    guarded,
    dispose: () => {
      dead = new SolverError("crashed", "Z3 was closed.");
      const threads: unknown =
        typeof built === "object" && built !== null ? Reflect.get(built, "PThread") : undefined;
      const stop: unknown =
        typeof threads === "object" && threads !== null
          ? Reflect.get(threads, "terminateAllThreads")
          : undefined;
      if (typeof stop === "function") Reflect.apply(stop, threads, []);
    },
  };
}

function numeric(
  call: (...operands: readonly unknown[]) => unknown,
): (...operands: readonly number[]) => number {
  return (...operands) => {
    const result = call(...operands);
    return typeof result === "number" ? result : 0;
  };
}

/** After a trap inside WASM its memory is unreliable. */
function crash(error: unknown): SolverError {
  const message = error instanceof Error ? error.message : "";
  return /out of memory|OOM|memory access|Cannot enlarge memory|bad_alloc/i.test(message)
    ? new SolverError("memory", "Z3 ran out of memory")
    : new SolverError("crashed", `Z3 crashed: ${reasonOf(error)}`);
}
