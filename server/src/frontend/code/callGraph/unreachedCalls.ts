// Database calls that no evaluated function reached, among the call sites: each is reported at its position and taints the transactions
// whose functions contain it.
import type { Note } from "../../../program/program";
import type { Taint } from "../../../program/precision";
import type { FileId, SourceRange } from "../../../protocol/source";
import { rangeOf } from "../../sql/text/lines";
import type { Evaluation } from "../evaluate/evaluator";
import { functionKey } from "../queries/origins";
import type { ReadFunction } from "../queries/rootReading";
import type { CodeSurroundings } from "../workspace/codeSurroundings";
import { addToList } from "../multimap";
import { siteAt, sitesOf, type Site } from "./callSites";

type Around = Pick<CodeSurroundings, "modules" | "files" | "lines">;

interface Unreached {
  /** One for each function with such calls, at the first of them. */
  readonly notes: readonly Note[];
  /** The taints of a function for unreached calls in it or in its callees. */
  readonly lossesOf: (read: ReadFunction) => readonly Taint[];
}

/** The sites that an evaluated function reached. */
export function reachedSites(
  { reached }: Evaluation,
  { modules }: Pick<Around, "modules">,
): ReadonlySet<Site> {
  const found = new Set<Site>();
  for (const [{ span }, file] of reached) {
    const module = modules.moduleOf(file);
    const site = module && siteAt(module, span);
    if (site) found.add(site);
  }
  return found;
}

/** The sites that no function reached. `passed`: functions known to have been skipped or cut short. */
export function unreachedCalls(
  evaluated: readonly ReadFunction[],
  passed: ReadonlySet<string>,
  around: Around,
): Unreached {
  const reached = new Set<Site>();
  for (const each of evaluated) for (const site of each.reached) reached.add(site);
  const notes: Note[] = [];
  const byFunction = new Map<string, Taint[]>();
  for (const file of around.files) {
    for (const { inside, source, name, count } of missed(file, reached, around)) {
      if (inside.some((key) => passed.has(key))) continue;
      notes.push({
        severity: "information",
        code: "call-unreached",
        message: messageOf(name, count),
        source,
        calls: count,
      });
      const loss: Taint = {
        effect: "opaque",
        reason: `${name}() was not reached: nothing that was followed leads to it, or what it is called on is not known`,
        source,
      };
      for (const key of inside) {
        addToList(byFunction, key, loss);
      }
    }
  }
  return {
    notes,
    lossesOf: ({ key, inlined }) =>
      byFunction.size === 0
        ? []
        : [...new Set([key, ...inlined].flatMap((each) => byFunction.get(each) ?? []))],
  };
}

interface Missed {
  readonly name: string;
  readonly count: number;
  readonly source: SourceRange;
  /** The keys of the enclosing functions. */
  readonly inside: readonly string[];
}

/** The unreached calls of a file, grouped by function. */
function missed(
  file: FileId,
  reached: ReadonlySet<Site>,
  { modules, lines }: Around,
): Iterable<Missed> {
  const found = new Map<string, Missed>();
  const module = modules.moduleOf(file);
  if (!module) return [];
  for (const { site, span } of sitesOf(module)) {
    if (reached.has(site)) continue;
    const { name, functions } = site;
    const inside = functions.map((each) => functionKey(file, each));
    const key = inside.join();
    const known = found.get(key);
    const source = known?.source ?? rangeOf(lines(file), span.start, span.end);
    found.set(key, { name: known?.name ?? name, count: (known?.count ?? 0) + 1, source, inside });
  }
  return found.values();
}

function messageOf(name: string, count: number): string {
  const more = count === 1 ? "" : `, nor ${String(count - 1)} more of its function`;
  return `${name}() looks like a call of the database and was not reached${more}: nothing that was followed leads to it, or what it is called on is not known, so that it is in no transaction. Call its function from code that is read, or export it; a library of your own is described in isolens.models/.`;
}
