// Identifiers of functions and call sites that are valid in other processes: their numbers in the text of their file. Equal texts have the
// same parts at the same numbers.
import type { FileId } from "../../../protocol/source";
import type { HirFunction, HirModule } from "../hir";
import { ofNode } from "../../../query/nodes";
import { isFunction, visit } from "../nodes";
import { sitesOf, type Site } from "../callGraph/callSites";
import { functionKey, originOf } from "./origins";

/** A part of a file: its number among those of its kind. */
export type PartNumber = readonly [file: FileId, at: number];

/** Answers queries about a fixed set of modules. */
export interface PartNumbers {
  /** The function's number in one of the files; undefined if it is in none of them. */
  readonly numberOfFunction: (hir: HirFunction, files: Iterable<FileId>) => PartNumber | undefined;
  readonly functionAt: (part: PartNumber) => HirFunction | undefined;
  readonly numberOfSite: (site: Site, files: Iterable<FileId>) => PartNumber | undefined;
  readonly siteAt: (part: PartNumber) => Site | undefined;
  /** Converts a function's key to one with its number in the file, and back; undefined if the file has no such function. */
  readonly lastingKey: (key: string) => string | undefined;
  readonly presentKey: (key: string) => string | undefined;
}

interface Parts {
  readonly functions: readonly HirFunction[];
  readonly sites: readonly Site[];
}

const NO_PARTS: Parts = { functions: [], sites: [] };

/** The parts of a module, in an order that follows from its text. Linear in its size, once. */
const partsOfModule = ofNode((module: HirModule): Parts => {
  const functions: HirFunction[] = [];
  visit(module.body, (node) => {
    if (isFunction(node)) functions.push(originOf(node));
  });
  return { functions, sites: [...sitesOf(module)].map(({ site }) => site) };
});

function partsOf(module: HirModule | undefined): Parts {
  return module ? partsOfModule(module) : NO_PARTS;
}

/** The numbers of the parts of modules; each module is visited on its first query. */
export function partNumbers(moduleOf: (file: FileId) => HirModule | undefined): PartNumbers {
  const numbers = new Map<object, PartNumber>();
  const keys = new Map<string, number>();
  const seen = new Set<FileId>();
  const look = (file: FileId): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const { functions, sites } = partsOf(moduleOf(file));
    for (const [at, each] of functions.entries()) {
      numbers.set(each, [file, at]);
      keys.set(functionKey(file, each), at);
    }
    for (const [at, each] of sites.entries()) numbers.set(each, [file, at]);
  };
  const numberOf = (part: object, files: Iterable<FileId>): PartNumber | undefined => {
    for (const file of files) look(file);
    return numbers.get(part);
  };
  const functionAt = ([file, at]: PartNumber): HirFunction | undefined =>
    partsOf(moduleOf(file)).functions[at];
  return {
    numberOfFunction: (hir, files) => numberOf(originOf(hir), files),
    functionAt,
    numberOfSite: numberOf,
    siteAt: ([file, at]) => partsOf(moduleOf(file)).sites[at],
    lastingKey: (key) => {
      const parts = KEY.exec(key)?.groups;
      if (!parts) return key;
      const { file = "", number = "", rest = "" } = parts;
      look(file as FileId); // functionKey begins with it
      const at = keys.get(`${file}#${number}`);
      return at === undefined ? undefined : `${file}#:${String(at)}${rest}`;
    },
    presentKey: (key) => {
      const parts = LASTING_KEY.exec(key)?.groups;
      if (!parts) return key;
      const { file = "", number = "", rest = "" } = parts;
      const id = file as FileId; // as above
      const hir = functionAt([id, Number(number)]);
      return hir && `${functionKey(id, hir)}${rest}`;
    },
  };
}

/** `functionKey` with any suffixes for functions derived from it. */
const KEY = /^(?<file>.*?)#(?<number>\d+)(?<rest>(?:[@~?].*)?)$/su;
const LASTING_KEY = /^(?<file>.*?)#:(?<number>\d+)(?<rest>(?:[@~?].*)?)$/su;
