// The sandbox of a code client's process, beyond Node's permission model (files, programs, threads, native code): it closes the network,
// which that model does not cover before Node 25, other processes, and ways around the rest. The modules themselves are stripped, so
// nothing can be restored.
import { builtinModules, createRequire, syncBuiltinESMExports } from "node:module";

/** Modules that give access to the network, to other processes and threads, or to files despite the permission model. */
const CLOSED =
  /^(?:_http_|_tls_|net$|tls$|dgram$|dns|http|inspector|worker_threads$|child_process$|cluster$|repl$|wasi$|sqlite$|trace_events$|test)/u;
const GLOBALS = ["fetch", "WebSocket", "EventSource"];
const OF_PROCESS = [
  ...["send", "disconnect", "kill", "dlopen", "_debugProcess", "_debugEnd"],
  ...["_startProfilerIdleNotifier", "abort", "binding", "_linkedBinding", "execve"],
];

/** Closes these modules for all code of this process, permanently. False if the permission model is off; no foreign code may run then. */
export function installFence(): boolean {
  if (!("permission" in process) || process.permission === undefined) return false;
  const load = createRequire(__filename);
  for (const name of new Set([...builtinModules, "sqlite", "test"])) {
    if (!CLOSED.test(name)) continue;
    const exported = loaded(load, name);
    if (exported !== undefined) close(exported, name, new Set());
  }
  const modules: unknown = load("node:module");
  for (const name of ["register", "registerHooks"]) closeOne(modules as object, name, "module");
  for (const name of GLOBALS)
    if (Reflect.has(globalThis, name)) closeOne(globalThis, name, "the global");
  for (const name of OF_PROCESS) if (Reflect.has(process, name)) closeOne(process, name, "process");
  syncBuiltinESMExports();
  return true;
}

function loaded(load: NodeJS.Require, name: string): object | undefined {
  try {
    const exported: unknown = load(`node:${name}`);
    return typeof exported === "object" || typeof exported === "function"
      ? (exported ?? undefined)
      : undefined;
  } catch {
    // This version of Node has no such module, or has refused it already.
    return undefined;
  }
}

/** Replaces everything callable; constants stay, since packages read them when they are loaded. */
function close(exported: object, name: string, seen: Set<object>): void {
  seen.add(exported);
  for (const key of Object.getOwnPropertyNames(exported)) {
    const property = Object.getOwnPropertyDescriptor(exported, key);
    const value: unknown = property?.value;
    if (typeof value === "function") {
      const { prototype } = value as { prototype?: unknown };
      if (typeof prototype === "object" && prototype !== null) closeMethods(prototype, name);
      closeOne(exported, key, name);
    } else if (typeof value === "object" && value !== null) {
      const isPlain = Object.getPrototypeOf(value) === Object.prototype;
      if (!isPlain && !Array.isArray(value)) closeOne(exported, key, name);
      else if (!seen.has(value)) close(value, `${name}.${key}`, seen);
    } else if (property?.get) closeOne(exported, key, name);
  }
}

/** Existing instances are disabled too. */
function closeMethods(prototype: object, name: string): void {
  for (const key of ["connect", "listen", "bind", "send", "createConnection", "resolve", "query"])
    if (Object.hasOwn(prototype, key)) closeOne(prototype, key, name);
}

function closeOne(holder: object, key: string, name: string): void {
  const known = Object.getOwnPropertyDescriptor(holder, key);
  if (known?.configurable === false && known.writable !== true) return;
  // Classes of packages may extend it.
  const refuse = function (): never {
    throw new Error(
      `a client program has neither network nor other processes (${name}.${key}); "isolens explore --allow" gives it everything`,
    );
  };
  const closed = { value: refuse, writable: false, enumerable: known?.enumerable ?? true };
  Object.defineProperty(holder, key, { ...closed, configurable: false });
}
