// Runs by the program that they are of: by the name of their entry point, or, where nothing names it, by what they do.
import type { Path } from "./learn/knowns";
import { preparedRun } from "./learn/paths";
import { foldRepetition, listKey } from "./learn/repetition";
import type { RecordedStatement } from "./statements";
import type { Run } from "./runs";

export interface Entry {
  readonly name: string;
  readonly runs: readonly Run[];
}

/** The entries in the order of their first runs; each name is there once. */
export function entriesOf(runs: readonly Run[]): readonly Entry[] {
  const functions = new Map<string, Map<string, Run[]>>();
  for (const run of runs) {
    if (run.entry === undefined) continue;
    const key = `${run.entry}\n${run.place?.file ?? ""}`;
    const ways = functions.get(key) ?? new Map<string, Run[]>();
    functions.set(key, ways);
    const first = listKey(firstOf(run)?.text ?? "");
    ways.set(first, [...(ways.get(first) ?? []), run]);
  }
  // A function whose runs part before anything was read runs what it is given: these are programs of their own.
  const named = [...functions.values()].flatMap((ways): readonly Entry[] =>
    [...ways.values()].map((own) => {
      const entry = own[0]?.entry ?? "";
      const nearest = own[0] && firstOf(own[0])?.site?.place?.name;
      return {
        name: ways.size > 1 && nearest !== undefined ? `${entry}: ${nearest}` : entry,
        runs: own,
      };
    }),
  );
  const unnamed = familiesOf(runs.filter(({ entry }) => entry === undefined));
  const taken = new Map<string, number>();
  return [...named, ...unnamed].map(({ name, runs: own }) => {
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    return { name: count === 1 ? name : `${name} ${String(count)}`, runs: own };
  });
}

function firstOf(run: Run): RecordedStatement | undefined {
  return run.statements.find(({ kind }) => kind === "read" || kind === "write");
}

/**
 * Runs without names: those that do the same are of one program, and so are those that end earlier on the same way, if
 * there is only one program that goes on from there.
 */
function familiesOf(runs: readonly Run[]): readonly Entry[] {
  const byPath = new Map<string, { texts: readonly string[]; runs: Run[] }>();
  const { paths } = foldRepetition(
    runs.map(
      (run) =>
        preparedRun(run)?.path.filter(
          ({ kind }) => kind === "read" || kind === "write" || kind === "begin",
        ) ?? [],
    ),
  );
  const changed: { readonly path: Path; readonly run: Run }[] = [];
  for (const [at, run] of runs.entries()) {
    const path = paths[at] ?? [];
    if (path.length === 0) continue;
    if (path.some(({ isPerturbed }) => isPerturbed)) {
      changed.push({ path, run });
      continue;
    }
    const texts = path.map(({ text }) => text);
    const key = texts.join("\n");
    const family = byPath.get(key) ?? { texts, runs: [] };
    byPath.set(key, family);
    family.runs.push(run);
  }
  // The program of a run with a changed answer did the same up to there.
  for (const { path, run } of changed) nearest([...byPath.values()], path)?.runs.push(run);
  const families = [...byPath.values()];
  const entries: Entry[] = [];
  const begins = (longer: readonly string[], shorter: readonly string[]): boolean =>
    longer.length > shorter.length && shorter.every((text, at) => text === longer[at]);
  for (const family of families) {
    const longer = families.filter(({ texts }) => begins(texts, family.texts));
    const longest = longer.filter(
      ({ texts }) => !longer.some((other) => begins(other.texts, texts)),
    );
    if (longest.length === 1) continue;
    const early = families.filter(
      (other) =>
        begins(family.texts, other.texts) &&
        families
          .filter(({ texts }) => begins(texts, other.texts))
          .filter((each, _, all) => !all.some((more) => begins(more.texts, each.texts))).length ===
          1,
    );
    const own = [family, ...early]
      .flatMap((each) => each.runs)
      .sort((a, b) => (a.statements[0]?.order ?? 0) - (b.statements[0]?.order ?? 0));
    entries.push({ name: nameOf(family.texts), runs: own });
  }
  return entries;
}

/** The family that goes the longest with a path, and past the answer that was changed. */
function nearest<T extends { readonly texts: readonly string[] }>(
  families: readonly T[],
  path: Path,
): T | undefined {
  let best: T | undefined;
  let most = path.findIndex(({ isPerturbed }) => isPerturbed);
  for (const family of families) {
    const end = path.findIndex(({ text }, at) => text !== family.texts[at]);
    const alike = end < 0 ? path.length : end;
    if (alike > most) [best, most] = [family, alike];
  }
  return best;
}

/** "update account after select account" */
function nameOf(texts: readonly string[]): string {
  const parts = texts.flatMap((text) => shortened(text));
  const writes = parts.filter((part) => !part.startsWith("select"));
  const told = writes.length > 0 ? writes : parts.length > 0 ? parts : texts.map(firstWords);
  return [...new Set(told)].slice(0, 3).join(", ");
}

/** "copy account", "call close_month": the beginning of a statement of another verb. */
function firstWords(text: string): string {
  return (text.match(/\w+/g) ?? []).slice(0, 2).join(" ").toLowerCase();
}

const TABLE =
  /^(?:(update)|(insert|delete|select|replace)\b.*?\b(?:into|from))\s+((?:["`]?\w+["`]?\.)?["`]?\w+["`]?)/i;

function shortened(text: string): readonly string[] {
  const [, update, other, table] = TABLE.exec(text) ?? [];
  const verb = update ?? other;
  if (verb === undefined || table === undefined) return [];
  return [`${verb.toLowerCase()} ${table.replace(/["`]/g, "").replace(/^.*\./, "")}`];
}
