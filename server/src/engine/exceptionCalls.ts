// Calls that catch what they throw, as WebAssembly. Emscripten compiles each call of C++ that has something to clean up, or
// to catch, into a call of JavaScript, whose `try` calls back into WebAssembly: for Z3 that is a quarter of its time. Here is a
// module of WebAssembly with the same functions, whose `try` is the engine's own.

type ImportFunction = (...operands: readonly unknown[]) => unknown;
export type Imports = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface ExceptionCalls {
  /** The imports to start the program with, in place of its own. */
  readonly imports: Imports;
  /** The calls work from here on; `program` is what was started. */
  connect(program: WebAssembly.Instance): void;
}

/**
 * The imports of a program of Emscripten with calls that catch by themselves. Undefined where this engine has no exceptions of
 * WebAssembly, or the program none of these calls.
 */
export function exceptionCalls(
  program: WebAssembly.Module,
  imports: Imports,
): ExceptionCalls | undefined {
  const { env = {} } = imports;
  const names = WebAssembly.Module.imports(program)
    .map(({ name }) => name)
    .filter((name) => CALL.test(name) && Object.hasOwn(env, name));
  const bytes = callsModule(names);
  if (names.length === 0 || !WebAssembly.validate(bytes)) return undefined;
  const calls = new WebAssembly.Instance(new WebAssembly.Module(bytes), {});
  const thrown = member(calls.exports, "thrown", WebAssembly.Global);
  const throwing = Object.entries(env).filter(([name]) => THROWS.has(name));
  const marked = throwing.map(([name, run]): [string, ImportFunction] => [
    name,
    (...operands) => {
      thrown.value = 1;
      // The functions among the imports are Emscripten's.
      return (run as ImportFunction)(...operands);
    },
  ]);
  const own = { ...env, ...Object.fromEntries(marked), ...pick(calls.exports, names) };
  return {
    imports: { ...imports, env: own },
    connect: ({ exports }) => {
      const from = member(exports, "__indirect_function_table", WebAssembly.Table);
      const to = member(calls.exports, "functions", WebAssembly.Table);
      to.grow(from.length);
      new WebAssembly.Instance(new WebAssembly.Module(COPY), { env: { from, to } });
      const helpers = member(calls.exports, "helpers", WebAssembly.Table);
      for (const [at, name] of HELPERS.entries()) helpers.set(at, Reflect.get(exports, name));
    },
  };
}

/** The names of calls: the types of the result and of the arguments, without the number of the function. */
const CALL = /^invoke_(?<result>[vijfd])(?<operands>[ijfd]*)$/u;

/** Imports that throw an exception of C++; all others that come by are errors of the engine. */
const THROWS: ReadonlySet<string> = new Set(["__cxa_throw", "__cxa_rethrow", "__resumeException"]);

/** Functions of the program that a call uses: for the height of the stack, and to tell that something was thrown. */
const HELPERS = ["emscripten_stack_get_current", "_emscripten_stack_restore", "setThrew"] as const;

function member<T>(exports: object, name: string, kind: new (...some: never[]) => T): T {
  const found: unknown = Reflect.get(exports, name);
  if (found instanceof kind) return found;
  throw new Error(`the program does not export ${name}`);
}

function pick(exports: object, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.map((name): [string, unknown] => [name, Reflect.get(exports, name)]),
  );
}

type Bytes = readonly number[];

/** The binary format, https://webassembly.github.io/spec/core/binary, with the exceptions that engines have had since 2021. */
const TYPES = new Map([
  ["i", 0x7f],
  ["j", 0x7e],
  ["f", 0x7d],
  ["d", 0x7c],
]);
const OP = {
  if: 0x04,
  try: 0x06,
  rethrow: 0x09,
  end: 0x0b,
  callIndirect: 0x11,
  catchAll: 0x19,
  localGet: 0x20,
  localSet: 0x21,
  globalGet: 0x23,
  globalSet: 0x24,
  isZero: 0x45,
} as const;
const ZEROS = new Map<string, Bytes>([
  ["i", [0x41, 0]],
  ["j", [0x42, 0]],
  ["f", [0x43, 0, 0, 0, 0]],
  ["d", [0x44, 0, 0, 0, 0, 0, 0, 0, 0]],
]);
const HEADER: Bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const NO_TYPE = 0x40;
const FUNCTION_TABLE = 0x70;
const [FUNCTIONS, HELPER_TABLE] = [0, 1];

/** Three types of helpers, then two for each call: of what it calls, and its own. */
function callsModule(names: readonly string[]): Uint8Array {
  const calls = names.map((name) => {
    const { result = "v", operands = "" } = CALL.exec(name)?.groups ?? {};
    return { name, result, operands };
  });
  const types = [
    functionType("i", ""),
    functionType("v", "i"),
    functionType("v", "ii"),
    ...calls.flatMap(({ result, operands }) => [
      functionType(result, operands),
      functionType(result, `i${operands}`),
    ]),
  ];
  const bodies = calls.map(({ result, operands }, at) => {
    const height = operands.length + 1;
    const code = [
      // One local, for the height of the stack.
      ...[1, 1, 0x7f],
      ...helper(0),
      ...[OP.localSet, ...number(height)],
      ...[OP.try, TYPES.get(result) ?? NO_TYPE],
      ...[...operands].flatMap((_, operand) => [OP.localGet, ...number(operand + 1)]),
      ...[OP.localGet, 0],
      ...[OP.callIndirect, ...number(HELPERS.length + 2 * at), FUNCTIONS],
      OP.catchAll,
      // Errors of the engine go on.
      ...[OP.globalGet, 0, OP.isZero, OP.if, NO_TYPE, OP.rethrow, 1, OP.end],
      ...[0x41, 0, OP.globalSet, 0],
      ...[OP.localGet, ...number(height), ...helper(1)],
      ...[0x41, 1, 0x41, 0, ...helper(2)],
      ...(ZEROS.get(result) ?? []),
      ...[OP.end, OP.end],
    ];
    return [...number(code.length), ...code];
  });
  return new Uint8Array([
    ...HEADER,
    ...section(1, types),
    ...section(
      3,
      calls.map((_, at) => number(HELPERS.length + 2 * at + 1)),
    ),
    ...section(4, [
      [FUNCTION_TABLE, 0, 0],
      [FUNCTION_TABLE, 0, HELPERS.length],
    ]),
    ...section(6, [[0x7f, 1, 0x41, 0, OP.end]]),
    ...section(7, [
      [...text("functions"), 1, FUNCTIONS],
      [...text("helpers"), 1, HELPER_TABLE],
      [...text("thrown"), 3, 0],
      ...calls.map(({ name }, at) => [...text(name), 0, ...number(at)]),
    ]),
    ...section(10, bodies),
  ]);
}

/** Copies one table into another when it is started. */
const COPY = new Uint8Array([
  ...HEADER,
  ...section(1, [functionType("v", "")]),
  ...section(2, [
    [...text("env"), ...text("to"), 1, FUNCTION_TABLE, 0, 0],
    [...text("env"), ...text("from"), 1, FUNCTION_TABLE, 0, 0],
  ]),
  ...section(3, [[0]]),
  ...section(8, undefined, [0]),
  // From the beginning, as many as there are.
  ...section(10, [[13, 0, 0x41, 0, 0x41, 0, 0xfc, 16, 1, 0xfc, 14, 0, 1, OP.end]]),
]);

function helper(at: number): Bytes {
  return [0x41, at, OP.callIndirect, at, HELPER_TABLE];
}

function functionType(result: string, operands: string): Bytes {
  const own = TYPES.get(result);
  const results = own === undefined ? [0] : [1, own];
  return [0x60, operands.length, ...[...operands].map((each) => TYPES.get(each) ?? 0), ...results];
}

function section(id: number, items: readonly Bytes[] = [], content?: Bytes): Bytes {
  const bytes = content ?? [...number(items.length), ...items.flat()];
  return [id, ...number(bytes.length), ...bytes];
}

function text(value: string): Bytes {
  return [value.length, ...Buffer.from(value, "latin1")];
}

/** A number as the format writes it, seven bits at a time. */
function number(value: number): Bytes {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
}
