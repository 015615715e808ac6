// Which answers of the server are changed when the tests run again: those that open flows may rest on.
import type { AnswerPlace, Decider, LearntProgram } from "../learn/program";

/** The answers of one statement of a program that are worth changing. */
export interface Target {
  readonly deciders: readonly Decider[];
  /** Its number among the statements of its program, and how many these are. */
  readonly index: number;
  readonly of: number;
}

/** Targets by what tells a statement while a run goes on. */
export type Targets = ReadonlyMap<string, Target>;

/** Tells a statement of a run: the name of its entry point, if there is one, and its place in the run. */
export function targetKey(
  entry: string | undefined,
  { text, occurrence }: Pick<AnswerPlace, "text" | "occurrence">,
): string {
  return `${entry ?? ""}\n${String(occurrence)}\n${text}`;
}

/**
 * The targets of the programs: what their open flows may rest on; with `takesAll`, all that they read where nothing is
 * open. Of two programs that send the same, the first one counts.
 */
export function targetsOf(
  programs: readonly LearntProgram[],
  { takesAll }: { readonly takesAll: boolean },
): Targets {
  const targets = new Map<string, Target>();
  for (const { entry, flows, answers } of programs) {
    const open = flows.flatMap(({ deciders }) => deciders);
    const own = new Map<string, Decider[]>();
    for (const decider of open.length > 0 ? open : takesAll ? answers : []) {
      const key = targetKey(entry, decider);
      const list = own.get(key) ?? [];
      own.set(key, list);
      if (!list.some(({ column }) => column === decider.column)) list.push(decider);
    }
    for (const [index, [key, deciders]] of [...own].entries())
      if (!targets.has(key)) targets.set(key, { deciders, index, of: own.size });
  }
  return targets;
}
