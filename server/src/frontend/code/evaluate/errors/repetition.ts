// Effects outside of the database in a transaction that is run again when the server ends it: they are had twice.
import type { OutsideEffect } from "../../../../program/program";
import type { Command, StatementId } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import { walkCommand } from "../../../sql/walk";
import { hasOutsideEffect } from "../../effects/outsideEffects";
import type { HirFunction, HirStatement } from "../../hir";
import { isNode, visit } from "../../nodes";
import type { Value } from "../../values";
import { within } from "../fork";
import { emit, sourceOf, type CallSite, type State } from "../state";

/** Notes a call that is run again with what is retried around it; a variable of the AR marks where it stands among the commands. */
export function noteEffect(
  state: State,
  callee: Value,
  args: readonly Value[],
  site: CallSite,
): void {
  const { effects } = state;
  if (!effects || callee.kind === "handle" || site.isNew) return;
  if (!hasOutsideEffect(site.name) && !(site.name === "fetch" && changesByRequest(args[1]))) return;
  const source = sourceOf(state, site.span);
  const mark = state.ids.fresh("effect");
  effects.set(mark, { name: site.name, source });
  emit(state, { kind: "assign", variable: mark, value: literal(true), source });
}

/** True for options of `fetch` that name a method. */
function changesByRequest(options: Value | undefined): boolean {
  return options?.kind === "object" && options.fields.has("method");
}

/** Runs what is run again when it fails, and notes the first effect in it behind which a statement may fail. */
export function repeating<Ran extends { readonly commands: readonly Command[] }>(
  state: State,
  source: SourceRange,
  run: () => Ran,
): Ran {
  const effects = new Map<string, OutsideEffect>();
  const ran = within(state, { effects }, run);
  const place = JSON.stringify(source);
  state.keptErrors.delete(place);
  const found = behindEffect({ kind: "sequence", commands: ran.commands }, effects);
  if (found && found.statements.length > 0)
    state.keptErrors.set(place, { then: "repeats", source, ...found });
  return ran;
}

interface Behind {
  readonly effect: OutsideEffect;
  /** The statements that run behind it only. */
  readonly statements: readonly StatementId[];
}

function behindEffect(
  command: Command,
  effects: ReadonlyMap<string, OutsideEffect>,
): Behind | undefined {
  switch (command.kind) {
    case "assign": {
      const effect = effects.get(command.variable);
      return effect && { effect, statements: [] };
    }
    case "sequence":
      for (const [at, each] of command.commands.entries()) {
        const found = behindEffect(each, effects);
        if (!found) continue;
        // Behind a branch nobody knows whether the effect was had.
        if (BRANCHES.has(each.kind)) {
          if (found.statements.length > 0) return found;
          continue;
        }
        const rest = command.commands.slice(at + 1).flatMap(statementsIn);
        return { ...found, statements: [...found.statements, ...rest] };
      }
      return undefined;
    case "if":
      return (
        behindEffect(command.then, effects) ??
        (command.otherwise && behindEffect(command.otherwise, effects))
      );
    case "loop":
    case "atomic":
    case "try":
      return behindEffect(command.body, effects);
    default:
      return undefined;
  }
}

const BRANCHES: ReadonlySet<Command["kind"]> = new Set(["if", "loop", "try"]);

function statementsIn(command: Command): readonly StatementId[] {
  const found: StatementId[] = [];
  walkCommand(command, { statement: ({ id }) => void found.push(id) });
  return found;
}

/** True for functions that are run again when they fail: `@Retryable`. */
export function isRetriedFunction({ annotations }: HirFunction): boolean {
  return annotations.some(({ name }) => isRetrying(name));
}

/** True for the name of what runs something again when it fails. */
export function isRetrying(name: string): boolean {
  return /retr(?:y|ies)/iu.test(name);
}

/** True if a handler may be about refusals by the server: it names none of its errors, or one of these. */
export function mayMeanRefusals(body: readonly HirStatement[]): boolean {
  const codes: string[] = [];
  let isOfDuplicates = false;
  visit(body, (node) => {
    if (!("kind" in node)) return;
    if (node.kind === "literal" && "value" in node && typeof node.value === "number")
      if (node.value > 1000) codes.push(String(node.value));
    if (node.kind === "text" && "runs" in node) {
      const text = textOf(node.runs);
      if (CODE.test(text)) codes.push(text);
    }
    if (node.kind === "name" && "name" in node) isOfDuplicates ||= DUPLICATES.test(String(node.name)); // prettier-ignore
  });
  if (codes.length === 0) return !isOfDuplicates;
  return codes.some((each) => REFUSED.test(each));
}

/** True if a handler may do one thing for one error and another for others, or leaves that to a function. */
export function tellsErrorsApart(body: readonly HirStatement[]): boolean {
  let found = false;
  visit(body, (node) => {
    if (!("kind" in node)) return;
    found ||= BRANCHING.has(String(node.kind));
    if (node.kind !== "throw" || !("value" in node)) return;
    const { value } = node;
    found ||= isNode(value) && "kind" in value && value.kind === "call";
  });
  return found;
}

const BRANCHING: ReadonlySet<string> = new Set(["if", "switch", "conditional"]);

function textOf(runs: unknown): string {
  if (!Array.isArray(runs)) return "";
  return runs
    .map((each: unknown) => (isNode(each) && "text" in each ? String(each.text) : ""))
    .join("");
}

/** An SQLSTATE, or the name of an error of MySQL or Prisma. */
const CODE = /^(?:(?=.*\d)[0-9A-Z]{5}|ER_[A-Z_]+|P\d{4})$/u;
const REFUSED = /^(?:40001|40P01|55P03|1205|1213|1020|ER_(?:LOCK_\w+|CHECKREAD)|P2034)$/u;
const DUPLICATES = /unique|duplicate/iu;
