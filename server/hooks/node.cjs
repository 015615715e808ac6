"use strict";
// Puts the place in the application behind each statement, as a comment, while `isolens record` runs it: for pg and
// mysql2, and what is built on them. Node requires this file before the application.
const { AsyncLocalStorage } = require("node:async_hooks");
const Module = require("node:module");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");

const ROOT = fs.realpathSync(process.env.ISOLENS_ROOT ?? process.cwd()) + path.sep;
const TEST = /(^|\/)(tests?|__tests__|spec)\/|\.(test|spec)\.[cm]?[jt]sx?$/;
const FOREIGN = /(^|\/)node_modules\//;
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

/** Frames of the application, nearest first. */
function frames() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  Error.stackTraceLimit = 100;
  const sites = new Error("place").stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  return sites.flatMap((site) => {
    const file = site.getFileName()?.replace(/^file:\/\//, "");
    if (!file?.startsWith(ROOT)) return [];
    const own = file.slice(ROOT.length).split(path.sep).join("/");
    return FOREIGN.test(own) ? [] : [placeOf(site, file, own)];
  });
}

function placeOf(site, file, own) {
  const at = { line: site.getLineNumber() ?? 1, column: site.getColumnNumber() ?? 1 };
  const name = site.getFunctionName()?.replace(/^(?:Object|async|new)[. ]/, "");
  const entry = Module.findSourceMap?.(file)?.findEntry?.(at.line - 1, at.column - 1);
  const line = entry?.originalLine === undefined ? at.line : entry.originalLine + 1;
  return { file: own, line, column: at.column, name, isAsync: site.isAsync?.() === true };
}

/** The comment for a statement that is sent now; empty where none can be made, so that the application goes on. */
function comment({ isRequest } = { isRequest: false }) {
  try {
    const own = frames();
    const [test] = own;
    const nearest = own.find(({ file }) => !TEST.test(file));
    if (!nearest) return test ? `${MARK}${written(test)};;*/` : "";
    const { entry, number } = callOf(own, { isRequest });
    return `${MARK}${written(nearest)};${written(entry)};${number}*/`;
  } catch (error) {
    told("a statement", error);
    return "";
  }
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
function callOf(own, { isRequest }) {
  const outermost =
    own.findLast(({ file, name }) => !TEST.test(file) && name !== undefined && name !== "main") ??
    own[0];
  const key = keyOf(outermost);
  const at = outermost.line * 1e4 + outermost.column;
  const before = calls.getStore();
  const last = before?.places?.get(key);
  const isLater = !isRequest && outermost.isAsync && before?.asked?.key === key;
  if (last !== undefined && (isLater ? before.asked.since : last) < at) {
    before.places.set(key, Math.max(last, at));
    if (isRequest) before.asked = { key, since: last };
    return before;
  }
  const places = new Map();
  for (const each of own)
    if (!TEST.test(each.file)) places.set(keyOf(each), each.line * 1e4 + each.column);
  const call = {
    entry: outermost,
    places,
    number: before?.request ?? ++count % VARIANTS,
    request: before?.request,
    asked: isRequest ? { key, since: 0 } : undefined,
  };
  calls.enterWith(call);
  return call;
}

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
];

const load = Module._extensions[".js"];
Module._extensions[".js"] = function (module, file) {
  load(module, file);
  const hook = HOOKS.find(([pattern]) => pattern.test(file))?.[1];
  if (hook === undefined) return;
  try {
    hook(module.exports);
  } catch (error) {
    told(file, error);
  }
};

// A request is one call, whatever functions it goes through.
const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, ...rest) {
  if (event !== "request") return emit.call(this, event, ...rest);
  return calls.run({ request: ++count % VARIANTS }, () => emit.call(this, event, ...rest));
};
