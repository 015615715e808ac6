// A lint rule: no module imports, through others, itself. Imports of types count: modules that need each other's types
// are read together as well.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** @typedef {import("eslint").Rule.RuleModule} RuleModule */

const SPECIFIER =
  /^\s*(?:import|export)\b[^;"']*?\bfrom\s+["'](\.[^"']*)["']|^\s*import\s+["'](\.[^"']*)["']/gmu;

/** @type {Map<string, readonly string[]>} */
const importsByFile = new Map();

/** @type {RuleModule} */
export const importCycles = {
  meta: {
    type: "problem",
    docs: { description: "forbid modules that import each other, also for types alone" },
    messages: { cycle: "Imports go around: {{path}}." },
    schema: [],
  },
  create(context) {
    /**
     * @param {import("eslint").Rule.Node} node
     * @param {unknown} specifier
     */
    const check = (node, specifier) => {
      if (typeof specifier !== "string" || !specifier.startsWith(".")) return;
      const target = fileOf(context.filename, specifier);
      const way = target === undefined ? undefined : wayBetween(target, context.filename);
      if (!way) return;
      const names = [context.filename, ...way].map((file) => path.basename(file));
      context.report({ node, messageId: "cycle", data: { path: names.join(" -> ") } });
    };
    return {
      ImportDeclaration: (node) => {
        check(node, node.source.value);
      },
      ExportNamedDeclaration: (node) => {
        check(node, node.source?.value);
      },
      ExportAllDeclaration: (node) => {
        check(node, node.source.value);
      },
    };
  },
};

/**
 * The shortest way of imports from a file to another; undefined without one. Linear in the imports of all files.
 *
 * @param {string} from
 * @param {string} to
 * @returns {readonly string[] | undefined}
 */
function wayBetween(from, to) {
  /** @type {Map<string, string | undefined>} */
  const before = new Map([[from, undefined]]);
  for (const file of before.keys()) {
    if (file === to) {
      const way = [];
      for (let at = /** @type {string | undefined} */ (to); at; at = before.get(at))
        way.unshift(at);
      return way;
    }
    for (const next of importsOf(file)) if (!before.has(next)) before.set(next, file);
  }
  return undefined;
}

/**
 * @param {string} file
 * @returns {readonly string[]}
 */
function importsOf(file) {
  const known = importsByFile.get(file);
  if (known) return known;
  const found = [...readFileSync(file, "utf8").matchAll(SPECIFIER)].flatMap(([, own, bare]) => {
    const target = fileOf(file, own ?? bare ?? "");
    return target === undefined ? [] : [target];
  });
  importsByFile.set(file, found);
  return found;
}

/**
 * @param {string} from
 * @param {string} specifier
 * @returns {string | undefined}
 */
function fileOf(from, specifier) {
  const base = path.resolve(path.dirname(from), specifier);
  return [`${base}.ts`, base, path.join(base, "index.ts")].find(
    (file) => /\.(?:ts|mjs|cjs)$/u.test(file) && existsSync(file),
  );
}
