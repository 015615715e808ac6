// Globals of the languages' own libraries. Everything that has no meaning for a transaction is left to `builtins.ts`,
// which knows what calls of these give.
import type { Value } from "../../values";
import { assertionExport } from "./assertions";
import { dateExport } from "./datePackages";

const NAMES = new Set(
  (
    "Number String Boolean BigInt Math JSON Date Promise Object Array Map Set Error TypeError RangeError console " +
    "WeakMap WeakSet parseInt parseFloat isNaN Symbol setTimeout setInterval setImmediate queueMicrotask structuredClone crypto process Buffer globalThis global " +
    "Uint8Array Uint16Array Uint32Array " +
    "Integer Long Double Float BigDecimal BigInteger Objects Optional List ArrayList HashMap Arrays Collections System " +
    "UUID Instant LocalDate LocalDateTime Timestamp Thread Random ThreadLocalRandom StringBuilder RuntimeException " +
    "IllegalStateException IllegalArgumentException Exception Character Short Byte"
  ).split(" "),
);

/** Globals of browsers, which are not there where a database is used: `typeof window === "undefined"`. */
const OF_BROWSERS: ReadonlySet<string> = new Set(["window", "document"]);

/** The value of a name that the language itself gives. */
export function globalValue(name: string): Value | undefined {
  if (name === "undefined" || OF_BROWSERS.has(name)) return { kind: "undefined" };
  if (name === "NaN" || name === "Infinity") return { kind: "external", name };
  return NAMES.has(name) ? { kind: "builtin", name } : undefined;
}

/** Functions of packages that make ids; others of theirs look at what they are given. */
const MAKERS = /^(?:default|\*|v[1467]|nanoid|createId|cuid|ulid)$/u;

/** Functions of modules of the language's own that give something new each time. */
export function moduleBuiltin(module: string, name: string): Value | undefined {
  const from = module.replace(/^node:/u, "");
  const assertion = assertionExport(module, name);
  if (assertion !== undefined) return { kind: "builtin", name: assertion };
  const ofDates = dateExport(from, name);
  if (ofDates) return ofDates;
  if (from === "crypto") {
    if (name === "default" || name === "*") return { kind: "builtin", name: "crypto" };
    if (name === "randomUUID" || name === "randomBytes") {
      return { kind: "builtin", name: `crypto.${name}` };
    }
  }
  if (from === "async_hooks") {
    const isWhole = name === "*" || name === "default";
    return { kind: "builtin", name: isWhole ? from : name };
  }
  if (from === "@hono/zod-openapi" && name === "createRoute") {
    return { kind: "builtin", name: "hono.createRoute" };
  }
  if (/^nanoid/u.test(from) && name === "customAlphabet") {
    return { kind: "builtin", name: "nanoid.customAlphabet" };
  }
  const makesIds = /^(?:uuid|nanoid|cuid|ulid|@paralleldrive\/cuid2)$/u.test(from);
  if (makesIds && MAKERS.test(name)) {
    return { kind: "builtin", name: "crypto.randomUUID" };
  }
  const tagged = /^fp-ts\/(?:(?:lib|es6)\/)?(Either|Option)$/u.exec(module)?.[1];
  if (tagged !== undefined) {
    const isWhole = name === "*" || name === "default";
    return { kind: "builtin", name: isWhole ? tagged : `${tagged}.${name}` };
  }
  if (/^(?:decimal\.js|big\.js|bignumber\.js|decimal\.js-light)$/u.test(from)) {
    return { kind: "builtin", name: "BigDecimal" };
  }
  return undefined;
}
