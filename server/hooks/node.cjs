"use strict";
// Puts the place in the application behind each statement, as a comment, while `isolens record` runs it: for pg,
// mysql2 and postgres.js, and what is built on them. Node requires this file before the application.
const { AsyncLocalStorage, createHook, executionAsyncId } = require("node:async_hooks");
const Module = require("node:module");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const ROOT = fs.realpathSync(process.env.ISOLENS_ROOT ?? process.cwd()) + path.sep;
const TEST = /(^|\/)(tests?|__tests__|spec)\/|\.(test|spec)\.[cm]?[jt]sx?$/;
const FOREIGN = /(^|\/)node_modules\//;
/** What compilers write where async functions become generators: what runs again there goes on with a call. */
const COMPILED = /^(?:__awaiter|fulfilled|rejected|asyncGeneratorStep|_next|_throw)$/;
/** Texts of one place differ in as many ways. */
const VARIANTS = 16;
const MARK = "/*isolens:";

/** The call of an entry point that runs now: its place, how far it has come, and its number. */
const calls = new AsyncLocalStorage();
let count = 0;

const escaped = (text) =>
  text.replace(/[^A-Za-z0-9_./-]/gu, (letter) =>
    [...Buffer.from(letter)]
      .map((byte) => `~${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );

/** Frames of the stack, nearest first: all that were called to come here, and those that wait for it. */
function stack(limit) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  Error.stackTraceLimit = limit;
  const sites = new Error("place").stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  return sites;
}

const fileOf = (site) => site.getFileName()?.replace(/^file:\/\//, "");

/** The file of a frame of the application, below its folder. */
function ownFile(site) {
  const file = fileOf(site);
  if (!file?.startsWith(ROOT)) return undefined;
  const own = file.slice(ROOT.length).split(path.sep).join("/");
  return FOREIGN.test(own) || COMPILED.test(site.getFunctionName() ?? "") ? undefined : own;
}

/** Frames of the application, nearest first. */
function frames() {
  const printed = Error.prepareStackTrace;
  return stack(100).flatMap((site) => {
    const own = ownFile(site);
    return own === undefined ? [] : [placeOf(site, own, sourceLine(site, fileOf(site), printed))];
  });
}

const nameOf = (site) => site.getFunctionName()?.replace(/^(?:Object|async|new)[. ]/, "");

function placeOf(site, file, line) {
  const name = nameOf(site);
  const at = { line: site.getLineNumber() ?? 1, column: site.getColumnNumber() ?? 1 };
  return { file, line, at: at.line * 1e4 + at.column, name, isAsync: site.isAsync?.() === true };
}

/** Lines before a compiler changed them, by their places in what runs. */
const lines = new Map();
const MOST_LINES = 10_000;
function sourceLine(site, file, printed) {
  const key = `${file}:${site.getLineNumber()}:${site.getColumnNumber()}`;
  const known = lines.get(key);
  if (known !== undefined) return known;
  const line = originalLine(site, file, printed);
  if (lines.size < MOST_LINES) lines.set(key, line);
  return line;
}

/** The line before a compiler changed it: what prints stacks for a loader knows it, or Node does. */
function originalLine(site, file, printed) {
  const line = site.getLineNumber() ?? 1;
  const [, told] = /:(\d+):\d+\)?$/.exec(printed?.(new Error("place"), [site]) ?? "") ?? [];
  if (told !== undefined) return Number(told);
  const column = (site.getColumnNumber() ?? 1) - 1;
  const entry = Module.findSourceMap?.(file)?.findEntry?.(line - 1, column);
  return entry?.originalLine === undefined ? line : entry.originalLine + 1;
}

/** The comment for a statement that is sent now; empty where none can be made, so that the application goes on. */
const comment = (how) => placed(how).comment;

function placed({ isRequest = false, since } = {}) {
  try {
    const own = frames();
    const [test] = own;
    if (own.length === 0) return made.getStore() ?? { comment: unplaced() };
    const nearest = own.find(({ file }) => !TEST.test(file));
    if (!nearest) return { comment: unplaced() || `${MARK}${written(test)};;*/` };
    const { call, last } = callOf(own, { isRequest, since });
    const { entry, number } = call;
    call.nearest = nearest;
    return { comment: `${MARK}${written(nearest)};${written(entry)};${number}*/`, since: last };
  } catch (error) {
    told("a statement", error);
    return { comment: "" };
  }
}

/** Nothing leads from a promise that a function hands on to that function: its call is known, and where it was last. */
function unplaced() {
  const { entry, stretch, number, nearest = entry } = callAround([]) ?? {};
  return stretch === undefined ? "" : `${MARK}${written(nearest)};${written(entry)};${number}*/`;
}

const said = new Set();
function told(what, error) {
  const text = `isolens: no call site of ${what}: ${String(error)}\n`;
  if (!said.has(text)) process.stderr.write(text);
  said.add(text);
}

const keyOf = ({ file, name }) => `${file}:${name ?? ""}`;

/**
 * The call that runs now, and its entry. A call goes forward in its outermost function that the stack still has; where
 * that is behind its last place, another call has begun. Functions that return a promise of others are gone from the
 * stack then, and are known from the beginning of the call. A library that asks for a connection sends its statements later,
 * when the function waits: its place is that of its `await` then, which stands before what it called.
 */
function callOf(own, { isRequest, since }) {
  const outermost =
    own.findLast(({ file, name }) => !TEST.test(file) && name !== undefined && name !== "main") ??
    own[0];
  const key = keyOf(outermost);
  const { at } = outermost;
  const before = callAround(own.filter((each) => !each.isAsync).map(keyOf));
  if (before?.stretch !== undefined) return { call: before, last: 0 };
  const last = before?.places?.get(key);
  const isLater = !isRequest && outermost.isAsync && before?.asked?.key === key;
  if (last !== undefined && (since ?? (isLater ? before.asked.since : last)) < at) {
    before.places.set(key, Math.max(last, at));
    if (isRequest) before.asked = { key, since: last };
    return { call: before, last };
  }
  const places = new Map();
  for (const each of own)
    if (!TEST.test(each.file) && (each.name !== undefined || !places.has(keyOf(each))))
      places.set(keyOf(each), each.at);
  const call = {
    entry: outermost,
    places,
    number: before?.request ?? ++count % VARIANTS,
    request: before?.request,
    asked: isRequest ? { key, since: 0 } : undefined,
  };
  calls.enterWith(call);
  return { call, last: 0 };
}

/** What only drives others: what a module calls when it is loaded, as `main`. */
const drivers = new Set();

/** Named functions of the application that are running, outermost last; neither tests nor drivers. */
function running(sites) {
  return sites.flatMap((site, at) => {
    const file = site.isAsync?.() ? undefined : ownFile(site);
    const name = nameOf(site);
    if (file === undefined || TEST.test(file) || !name || name === "main") return [];
    const key = keyOf({ file, name });
    if (isModule(sites, at + 1)) drivers.add(key);
    return drivers.has(key) ? [] : [{ site, file, key }];
  });
}

function isModule(sites, at) {
  const module = sites[at] && !nameOf(sites[at]) && ownFile(sites[at]) !== undefined;
  return module && sites[at + 1] && fileOf(sites[at + 1])?.startsWith("node:internal/modules/");
}

/**
 * The call that runs now. Where its function has begun in this very stretch of code and is gone from the stack, it has
 * returned a promise, and what goes on is its caller, which is no part of it.
 */
function callAround(keys) {
  const before = calls.getStore();
  let call = before;
  while (call?.stretch === executionAsyncId() && !keys.includes(call.key)) call = call.outer;
  if (call !== before) calls.enterWith(call);
  return call;
}

/** Libraries that the application calls make promises at once; its asynchronous functions do when they begin. */
const NEAR = 16;
function promiseMade(isOwn) {
  const before = calls.getStore();
  const stretch = executionAsyncId();
  const isHere = before?.stretch === stretch;
  if (before?.request !== undefined || (before?.stretch !== undefined && !isHere)) return;
  const sites = stack(isHere ? 100 : NEAR).filter((site) => fileOf(site) !== __filename);
  const own = running(sites);
  const around = callAround(own.map(({ key }) => key));
  const outermost = own.at(-1);
  if (outermost === undefined) return;
  // The promise of a function that begins is made in it, before it calls anything.
  const isBeginning =
    isOwn && sites.find((site) => !fileOf(site)?.startsWith("node:")) === outermost.site;
  if (around?.stretch !== undefined && !isBeginning) return;
  const { site, file, key } = outermost;
  const entry = placeOf(site, file, sourceLine(site, fileOf(site), Error.prepareStackTrace));
  const outer = around?.stretch === undefined ? around : around.outer;
  calls.enterWith({ entry, key, stretch, outer, number: ++count % VARIANTS });
}
let isWatching = false;
createHook({
  init(_, type, trigger) {
    if (isWatching) return;
    isWatching = true;
    try {
      if (type === "PROMISE") promiseMade(trigger === executionAsyncId());
      else if (calls.getStore()?.stretch === executionAsyncId())
        callAround(running(stack(100)).map(({ key }) => key));
    } catch (error) {
      told("a promise", error);
    } finally {
      isWatching = false;
    }
  },
}).enable();

function written({ file, line, name }) {
  return [escaped(file), line, escaped(name ?? `${path.basename(file)}-${line}`)].join(":");
}

const commented = (sql) => (sql.includes(MARK) ? sql : sql + comment());

/** A statement is being sent: the pool's own request for a connection begins no call. */
let isAsking = false;

/** Wraps methods whose first argument is a statement or an object with one. */
function wrap(prototype, names, textOf) {
  for (const name of names) {
    const inner = prototype?.[name];
    if (typeof inner !== "function") continue;
    prototype[name] = function (statement, ...rest) {
      const before = isAsking;
      const own = textOf(statement);
      isAsking = true;
      try {
        return inner.call(this, own, ...rest);
      } finally {
        isAsking = before;
      }
    };
  }
}

/** A connection that is asked for begins a call, while its callers are still on the stack. */
function watch(prototype, name) {
  const inner = prototype?.[name];
  if (typeof inner !== "function") return;
  prototype[name] = function (...args) {
    if (!isAsking) comment({ isRequest: true });
    return inner.apply(this, args);
  };
}

function pgStatement(config) {
  if (typeof config === "string") return commented(config);
  if (typeof config?.text !== "string") return config;
  // The text of a named statement may not change under its name.
  if (typeof config.submit === "function") {
    const before = config.text;
    config.text = commented(before);
    if (config.text !== before && config.name) config.name = undefined;
    return config;
  }
  const own = Object.assign(Object.create(Object.getPrototypeOf(config)), config);
  return Object.assign(own, { text: commented(config.text), name: undefined });
}

function mysqlStatement(options) {
  if (typeof options === "string") return commented(options);
  if (typeof options?.sql !== "string") return options;
  if (Object.getPrototypeOf(options) !== Object.prototype) {
    options.sql = commented(options.sql);
    return options;
  }
  return { ...options, sql: commented(options.sql) };
}

/** postgres.js sends a query later than it is made, and a part of another (whose template begins before it) never. */
function postgresQuery(Query) {
  return class extends Query {
    constructor(strings, args, ...rest) {
      super(strings, args, ...rest);
      const parts = (args ?? []).flatMap((each) => each?.[PLACED]?.since ?? []);
      this[PLACED] = placed(parts.length > 0 ? { since: Math.min(...parts) } : {});
    }
    handle() {
      const { strings } = this;
      if (!this.executed && strings.length > 0)
        this.strings = [...strings.slice(0, -1), strings.at(-1) + this[PLACED].comment];
      return super.handle();
    }
  };
}
const PLACED = Symbol("isolens");

/** The place where a query was made that a library sends when it is waited for, where no frame leads back. */
const made = new AsyncLocalStorage();
function placedQuery(Query) {
  return class extends Query {
    constructor(...args) {
      super(...args);
      this[PLACED] = placed();
    }
  };
}
function lazyQuery(Query) {
  const Lazy = placedQuery(Query);
  const { constructor, then, ...others } = Object.getOwnPropertyDescriptors(Query.prototype);
  // Queries that take over the methods of this class, and have another parent, take them from here.
  Object.defineProperties(Lazy.prototype, others);
  Lazy.prototype.then = function (...rest) {
    return made.run(this[PLACED], () => then.value.apply(this, rest));
  };
  return Lazy;
}

const METHODS = ["query", "execute"];
const HOOKS = [
  [/[\\/]pg[\\/]lib[\\/]client\.js$/, (client) => wrap(client.prototype, ["query"], pgStatement)],
  [
    /[\\/]pg-pool[\\/]index\.js$/,
    (pool) => {
      wrap(pool.prototype, ["query"], pgStatement);
      watch(pool.prototype, "connect");
    },
  ],
  [
    /[\\/]mysql2[\\/]lib[\\/](?:base[\\/])?(?:connection|pool)\.js$/,
    (owner) => {
      if (Object.hasOwn(owner.prototype ?? {}, "query"))
        wrap(owner.prototype, METHODS, mysqlStatement);
      if (Object.hasOwn(owner.prototype ?? {}, "getConnection"))
        watch(owner.prototype, "getConnection");
    },
  ],
  [
    /[\\/]postgres[\\/]cjs[\\/]src[\\/]query\.js$/,
    (queries) => {
      queries.Query = postgresQuery(queries.Query);
    },
  ],
  // Jest loads the modules of tests itself.
  [
    /[\\/]jest-runtime[\\/]build[\\/]index\.js$/,
    ({ default: Runtime }) => {
      const inner = Runtime.prototype.requireModuleOrMock;
      const hooked = new WeakSet();
      Runtime.prototype.requireModuleOrMock = function (from, name) {
        const exports = inner.call(this, from, name);
        if (!/[\\/](?:pg|mysql2|postgres)[\\/]/.test(from) || hooked.has(exports)) return exports;
        hook(Module.createRequire(from).resolve(name), exports);
        if (Object(exports) === exports) hooked.add(exports);
        return exports;
      };
    },
  ],
];

function hook(file, exports) {
  const found = HOOKS.find(([pattern]) => pattern.test(file));
  try {
    found?.[1](exports);
  } catch (error) {
    told(file, error);
  }
}

// Loaders of TypeScript replace what Node does for a kind of file, and not this.
const { load } = Module.prototype;
Module.prototype.load = function (file) {
  load.call(this, file);
  hook(file, this.exports);
};

// What a module exports can be changed inside of it alone where others have taken it, or the module is one of ECMAScript.
globalThis[Symbol.for("isolens.postgres")] = postgresQuery;
globalThis[Symbol.for("isolens.lazy")] = lazyQuery;
globalThis[Symbol.for("isolens.placed")] = placedQuery;
/** In which files which classes are replaced by which hook; a class that has `then` sends its query there. */
const CLASSES = [
  {
    file: /[\\/]postgres[\\/]src[\\/]query\.js$/,
    name: /^export class (Query)\b/gm,
    hook: "postgres",
  },
  {
    file: /[\\/]drizzle-orm[\\/].*\.c?js$/,
    name: /^class (\w+)[^{\n]*\{\n(?:[^}\n].*\n|\n)*? +then\(/gm,
    hook: "lazy",
  },
  {
    file: /[\\/]drizzle-orm[\\/]query-builders[\\/]query-builder\.c?js$/,
    name: /^class (TypedQueryBuilder)\b/gm,
    hook: "placed",
  },
];
/** The lines that put hooked classes in the place of those that a file declares. */
const hookLines = (file, source) =>
  CLASSES.filter((each) => each.file.test(file))
    .flatMap(({ name, hook }) =>
      Array.from(
        source.matchAll(name),
        ([, own]) => `\n${own} = globalThis[Symbol.for("isolens.${hook}")](${own});\n`,
      ),
    )
    .join("");
const { _compile } = Module.prototype;
Module.prototype._compile = function (content, file, ...rest) {
  return _compile.call(this, content + hookLines(file, content), file, ...rest);
};
const uses = (library) => {
  try {
    return Module.createRequire(path.join(process.cwd(), "package.json")).resolve(library) !== "";
  } catch {
    // Not there: most applications use another one.
    return false;
  }
};
// Modules of ECMAScript are loaded in a thread of its own, which gets the table.
if (uses("postgres") || uses("drizzle-orm"))
  Module.register?.(pathToFileURL(path.join(__dirname, "nodeModules.mjs")), { data: CLASSES });

// A request is one call, whatever functions it goes through.
const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, ...rest) {
  if (event !== "request") return emit.call(this, event, ...rest);
  return calls.run({ request: ++count % VARIANTS }, () => emit.call(this, event, ...rest));
};
