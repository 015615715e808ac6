// A file that defines an isolation level by axioms: its keys, errors in it, and the effect of its axioms. Reading from disk is in
// projects.ts.
import type { WrittenAxiom } from "../isolation/formula";
import { PAPER_LEVELS, PRODUCT_LEVELS, findLevel } from "../isolation/levels";
import type { PaperLevel } from "../isolation/levels";
import { parseAxiom } from "../isolation/parseAxiom";
import type { AxiomProblem } from "../isolation/parseAxiom";
import { effectOf, refusedSerialRun } from "../isolation/smallHistories";
import { writtenAxioms } from "../isolation/writtenAxioms";
import { dictionary } from "../protocol/dictionary";
import type { Range } from "../protocol/source";
import { unknownLevelText, unknownText, wrong, wrongFile } from "./configuration";
import type { ConfigurationProblem } from "./configuration";
import { parseJson, rangeWithin } from "./json";
import type { JsonEntry, JsonValue } from "./json";

/** The level in a file, and remarks on the file. With an error there is no level. */
export interface LevelFile {
  readonly level?: PaperLevel;
  readonly problems: readonly ConfigurationProblem[];
}

/**
 * Parses a level file. Besides its form, each axiom must admit serial runs (else an error) and should exclude something that the previous
 * axioms do not (else a note).
 */
export function parseLevelFile(text: string): LevelFile {
  const result = parseJson(text);
  if (!result.ok) {
    return { problems: [{ severity: "error", message: result.message, range: result.range }] };
  }
  const { value } = result;
  if (value.kind !== "object") {
    const problem = wrongFile(
      value,
      "a level",
      'an object, as { "name": "...", "axioms": ["..."] }',
    );
    return { problems: [problem] };
  }
  if (!value.entries.some(({ key }) => key === "name" || key === "axioms")) {
    // The keys of a file that is no level are not reported.
    const message = 'this is no level: it has neither "name" nor "axioms"';
    return { problems: [{ severity: "error", message, range: value.range }] };
  }
  const draft: Draft = { text, axioms: [], problems: [] };
  const seen = new Set<string>();
  for (const entry of value.entries) {
    const read = Object.hasOwn(KEYS, entry.key) ? KEYS[entry.key] : undefined;
    if (seen.has(entry.key))
      remark(draft, "error", `"${entry.key}" is given twice`, entry.keyRange);
    else if (read === undefined) {
      remark(draft, "error", unknownText("key", entry.key, Object.keys(KEYS)), entry.keyRange);
    } else read(entry, draft);
    seen.add(entry.key);
  }
  for (const key of ["name", "axioms"]) {
    if (!seen.has(key)) remark(draft, "error", `"${key}" is missing`, value.range);
  }
  judgeAxioms(draft);
  const { name } = draft;
  const problems = draft.problems.toSorted(
    ({ range: { start: a } }, { range: { start: b } }) =>
      a.line - b.line || a.character - b.character,
  );
  if (name === undefined || problems.some(({ severity }) => severity === "error")) {
    return { problems };
  }
  return { level: levelOf(draft, name), problems };
}

interface Draft {
  readonly text: string;
  name?: string;
  label?: string;
  summary?: string;
  base?: PaperLevel;
  axioms: readonly PlacedAxiom[];
  readonly problems: ConfigurationProblem[];
}

interface PlacedAxiom {
  readonly axiom: WrittenAxiom;
  readonly range: Range;
}

const KEYS = dictionary<(entry: JsonEntry, draft: Draft) => void>({
  $schema: () => undefined,
  name: (entry, draft) => {
    const name = textOf(entry, draft);
    if (name === undefined) return;
    const problem = problemOfName(name);
    if (problem === undefined) draft.name = name;
    else remark(draft, "error", problem, entry.value.range);
  },
  label: (entry, draft) => {
    const label = textOf(entry, draft);
    if (label !== undefined && label.trim() !== "") draft.label = label.trim();
  },
  summary: (entry, draft) => {
    const summary = textOf(entry, draft);
    if (summary !== undefined) draft.summary = summary.trim();
  },
  extends: (entry, draft) => {
    const name = textOf(entry, draft);
    if (name === undefined) return;
    const level = findLevel(name);
    if (level?.family === "paper") draft.base = level;
    else {
      const message =
        level === undefined
          ? unknownLevelText(name)
          : `${level.name} is made of locks and snapshots, not of axioms; a level can extend ${PAPER_LEVELS.map((each) => each.name).join(", ")}`;
      remark(draft, "error", message, entry.value.range);
    }
  },
  axioms: (entry, draft) => {
    const { value } = entry;
    if (value.kind !== "array" || value.items.length === 0) {
      draft.problems.push(wrong(value, '"axioms"', 'a list of axioms, as ["forall w, q. ..."]'));
      return;
    }
    draft.axioms = value.items.flatMap((item) => axiomOf(item, draft) ?? []);
  },
});

/** Lower case distinguishes names from SQL's own words, and a colon would name a product. */
function problemOfName(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*$/u.test(name)) {
    return `a level's name is made of small letters, digits, "-" and ".", as "my-store"; this one is "${name}"`;
  }
  const taken = findLevel(name) ?? PRODUCT_LEVELS.find((level) => level.name.endsWith(`:${name}`));
  return taken && `"${name}" names ${taken.label} already; another name is needed`;
}

function axiomOf(item: JsonValue, draft: Draft): PlacedAxiom | undefined {
  if (item.kind !== "string") {
    draft.problems.push(wrong(item, "an axiom", "text in double quotes"));
    return undefined;
  }
  const result = parseAxiom(item.value);
  if (result.ok) return { axiom: result.axiom, range: item.range };
  const { start, end } = result.problem;
  const range = rangeWithin(draft.text, item.range, start, end);
  remark(draft, "error", axiomProblemText(result.problem), range);
  return undefined;
}

function axiomProblemText({ message, unknown }: AxiomProblem): string {
  if (unknown === undefined) return message;
  const { what, written, known } = unknown;
  return known.length > 0 ? unknownText(what, written, known) : `${message}; bind it with forall`;
}

/** Reports axioms that reject serial runs, or that exclude nothing. */
function judgeAxioms(draft: Draft): void {
  const base = (draft.base?.axioms ?? []).flatMap(writtenAxioms);
  draft.axioms.forEach(({ axiom, range }, at) => {
    const refused = refusedSerialRun(axiom);
    if (refused !== undefined) {
      const message = `this axiom refuses even transactions that run one after the other (${refused}), so that nothing would be left to check`;
      remark(draft, "error", message, range);
      return;
    }
    const before = draft.axioms.slice(0, at).map((each) => each.axiom);
    const effect = effectOf(axiom, [...base, ...before]);
    if (effect === "sessions") {
      const message = `${followsText(draft, axiom, base)}, unless a session runs several transactions; a check takes each transaction for a session of its own`;
      remark(draft, "information", message, range);
    } else if (effect === "follows") {
      const message = `${followsText(draft, axiom, base)}; it excludes nothing more`;
      remark(draft, "information", message, range);
    }
  });
}

function followsText(draft: Draft, axiom: WrittenAxiom, base: readonly WrittenAxiom[]): string {
  if (effectOf(axiom, []) !== "excludes") return "this axiom holds in every execution";
  const ofBase = draft.base !== undefined && effectOf(axiom, base) !== "excludes";
  return ofBase
    ? `this axiom follows from ${draft.base?.name ?? ""}, which the level extends`
    : "this axiom follows from those before it";
}

function levelOf({ label, summary, base, axioms }: Draft, name: string): PaperLevel {
  const many = axioms.length === 1 ? "one axiom" : `${String(axioms.length)} axioms`;
  return {
    family: "paper",
    name,
    aliases: [],
    label: label ?? name,
    summary:
      summary ?? `A level of this project: ${base?.label ?? "eventual consistency"} and ${many}.`,
    axioms: base?.axioms ?? [],
    own: axioms.map(({ axiom }) => axiom),
  };
}

function textOf(entry: JsonEntry, draft: Draft): string | undefined {
  if (entry.value.kind === "string") return entry.value.value;
  draft.problems.push(wrong(entry.value, `"${entry.key}"`, "text in double quotes"));
  return undefined;
}

function remark(
  draft: Draft,
  severity: ConfigurationProblem["severity"],
  message: string,
  range: Range,
): void {
  draft.problems.push({ severity, message, range });
}
