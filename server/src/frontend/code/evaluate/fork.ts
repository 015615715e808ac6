// Fork: paths are evaluated from the state at hand, which is given back behind them. A table says what becomes there of each
// field of the state; a field without a rule is an error of types.
import type { Command } from "../../../program/statement";
import type { Cell, Value } from "../values";
import { collectCommands, emit, undone, write, type State } from "./state";

/** Remembers a field, and gives what gives it back. */
type Save = (state: State) => () => void;

/**
 * - `root`: one for the root, or a fact of it, whichever path found it.
 * - `scope`: set for as long as something runs (`within`).
 * - `path`: holds on the path at hand alone.
 * - `output`: left to the root by a path, and taken back where nothing of the path stays.
 */
type Rule = "root" | "scope" | { readonly path: Save } | { readonly output: Save };

function assigned<Field extends "present" | "open" | "emitted" | "isTrial">(field: Field): Save {
  return (state) => {
    const before = state[field];
    return () => {
      state[field] = before;
    };
  };
}

/** A list, set or map that only grows. */
function grown(of: (state: State) => unknown[] | Set<unknown> | Map<unknown, unknown>): Save {
  return (state) => {
    const all = of(state);
    if (Array.isArray(all)) {
      const { length } = all;
      return () => {
        all.length = length;
      };
    }
    const { size } = all;
    return () => {
      for (const each of all.size > size ? [...all.keys()].slice(size) : []) all.delete(each);
    };
  };
}

const RULES = {
  workspace: "root",
  evaluator: "root",
  tools: "root",
  callUses: "root",
  lacks: "root",
  handed: "root",
  budget: "root",
  standsAlone: "root",
  here: "root",
  // Cells have the trail: whoever undoes them is told what was written.
  trail: "root",
  thrown: "root",
  levels: "root",
  nextLevel: "root",
  schemaPaths: "root",
  ranInside: "root",
  escaped: "root",
  files: "root",
  unfollowed: "root",
  entities: "root",
  reached: "root",
  outside: "root",
  listsOfCalls: "root",
  writtenInputs: "root",
  lengthFields: "root",
  constants: "root",
  factories: "root",
  kept: "root",
  ranOn: "root",
  throwing: "root",
  keptErrors: "root",
  commands: "scope",
  calls: "scope",
  loops: "scope",
  branches: "scope",
  attempts: "scope",
  caught: "scope",
  making: "scope",
  probes: "scope",
  catching: "scope",
  answering: "scope",
  tentative: "scope",
  stores: "scope",
  effects: "scope",
  services: "scope",
  present: { path: assigned("present") },
  open: { path: assigned("open") },
  frame: { output: grown(({ frame }) => frame.returns) },
  ids: { output: ({ ids }) => ids.mark() },
  taint: { output: grown(({ taint }) => taint) },
  notes: { output: grown(({ notes }) => notes) },
  jumps: { output: grown(({ jumps }) => jumps) },
  handlers: { output: grown(({ handlers }) => handlers) },
  inlined: { output: grown(({ inlined }) => inlined) },
  large: { output: grown(({ large }) => large) },
  searches: { output: grown(({ searches }) => searches) },
  emitted: { output: assigned("emitted") },
  isTrial: { output: assigned("isTrial") },
} as const satisfies { readonly [Field in keyof State]: Rule };

const ALL: readonly Rule[] = Object.values(RULES);
const PATH = ALL.flatMap((rule) => (typeof rule === "object" && "path" in rule ? rule.path : []));
const OUTPUT = ALL.flatMap((rule) => (typeof rule === "object" && "output" in rule ? rule.output : [])); // prettier-ignore

/** The fields that hold for as long as something runs. */
export type Scoped = Pick<
  State,
  | "frame"
  | { [Field in keyof State]: (typeof RULES)[Field] extends "scope" ? Field : never }[keyof State]
>;

/** Gives what gives back what holds on the path at hand alone. */
export function savePath(state: State): () => void {
  return saved(state, PATH);
}

/** Gives what takes back what is left to the root from here on. */
export function saveOutput(state: State): () => void {
  return saved(state, OUTPUT);
}

function saved(state: State, saves: readonly Save[]): () => void {
  const back = saves.map((save) => save(state));
  return () => {
    for (const give of back) give();
  };
}

/** Runs something with some fields as given, which are behind it what they were. */
export function within<Result>(
  state: State,
  fields: { [Field in keyof Scoped]?: Scoped[Field] },
  run: () => Result,
): Result {
  const before = { ...fields };
  for (const field of Object.keys(fields) as (keyof Scoped)[]) copy(state, before, field);
  Object.assign(state, fields);
  const result = run();
  Object.assign(state, before);
  return result;
}

function copy<Field extends keyof Scoped>(
  from: Scoped,
  to: { [Each in keyof Scoped]?: Scoped[Each] },
  field: Field,
): void {
  to[field] = from[field];
}

/** A path that was evaluated and undone. */
export interface Path {
  readonly commands: Command[];
  readonly written: ReadonlyMap<Cell, Value | undefined>;
  /** It never reaches its end: it returns, throws, breaks or continues. */
  readonly left: boolean;
}

/** Evaluates a path from the state at hand, which stays as it was but for what the path leaves to the root. */
export function fork(state: State, run: () => boolean): Path {
  const branches = [...state.branches, state.workspace.counts.births];
  return within(state, { branches }, () => alone(state, run));
}

/** Evaluates a path of which nothing stays. */
export function speculate<Result>(state: State, run: () => Result): Result {
  const takeBack = saveOutput(state);
  const probes = state.probes + 1;
  const { result } = within(state, { probes }, () => undone(state, run));
  takeBack();
  return result;
}

/** The effect of something that was undone: `follow` does it, `drop` leaves nothing of it. */
export interface Trial extends Pick<Path, "commands" | "written"> {
  readonly drop: () => void;
}

/** Evaluates something that may be dropped. */
export function attempt(state: State, run: () => void): Trial {
  const back = [savePath(state), saveOutput(state)];
  let commands: Command[] = [];
  const { written } = undone(state, () => {
    commands = collectCommands(state, run);
  });
  const drop = (): void => {
    for (const give of back) give();
  };
  return { commands, written, drop };
}

function alone(state: State, run: () => boolean): Path {
  const giveBack = savePath(state);
  let left = false;
  let commands: Command[] = [];
  const { written } = undone(state, () => {
    commands = collectCommands(state, () => {
      left = run();
    });
  });
  giveBack();
  return { commands, written, left };
}

/** Does what was evaluated and undone: it was surely so. */
export function follow(state: State, { commands, written }: Omit<Trial, "drop">): void {
  for (const [cell, value] of written) write(state, cell, value);
  for (const command of commands) emit(state, command);
}
