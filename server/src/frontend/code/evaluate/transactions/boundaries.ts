// Transactions that what stands around a function opens for it, told by its annotations and its class.
import type { HirClass } from "../../hir";
import type { SourceRange } from "../../../../protocol/source";
import type { TransactionOptions } from "../../libraries/library";
import { UNDEFINED, type Connection, type ObjectValue, type Value } from "../../values";
import { rangeOf } from "../../../sql/text/lines";
import type { Command } from "../../../../program/statement";
import { superclassOf } from "../values/methods";
import { within } from "../fork";
import { collectCommands, emit, lose, type State } from "../state";
import { committing, dooming } from "../errors/exceptionFlow";
import { isOfLanguage, semanticsOf } from "../../semantics";
import { writeChanges } from "./transactions";
import { inUnknownTransaction } from "./unknownTransactions";

type Callee = Extract<Value, { kind: "function" }>;

/**
 * Runs a function, which gives whether every path of it left before its end, in a transaction; `within` makes what stands in it of the function's commands. Gives what stands
 * behind it: errors that it commits at.
 */
type Boundary = (
  run: () => boolean,
  within: (commands: readonly Command[]) => readonly Command[],
) => readonly Command[];

/** The boundary that runs the function in the transactions that its annotations open around it; undefined where it opens none. */
export function boundaryOf(state: State, callee: Callee, isOwnCall = false): Boundary | undefined {
  const owner = callee.self?.kind === "object" ? ownerOf(callee, callee.self.class) : undefined;
  const { file, lookup } = callee.scope.module;
  for (const library of state.workspace.libraries) {
    if (!library.boundary || !isOfLanguage(library, semanticsOf(file))) continue;
    const tools = state.evaluator.tools(state, library);
    const of = {
      function: callee.function,
      file,
      ...(owner && { class: owner.class, above: () => above(owner) }),
      isOwnCall,
      named: lookup,
    };
    const options = library.boundary(of, tools);
    if (!options) continue;
    const { start, end } = callee.function.header;
    const source = rangeOf(state.workspace.lines(file), start, end);
    const { isAny = false } = options;
    const connection = { id: library.name, isPool: false, ...(isAny && { isAny }) };
    const undoes = options.undoes ?? (() => true);
    return (run, within) => {
      const isJoined = state.open.some((each) => each.connection === connection.id);
      if (options.isOutside === true) {
        const why = "what runs outside of the open transaction is taken to be a part of it";
        if (isJoined) lose(state, why, source, "opaque");
        for (const each of within(collectCommands(state, () => void run()))) emit(state, each);
        return [];
      }
      let behind: readonly Command[] = [];
      tools.inTransaction(connection, { source, ...options }, () => {
        const commands = collectCommands(state, () => {
          if (isJoined) run();
          else committed(state, connection, { ...options, source }, run);
        });
        if (isJoined) dooming(state, commands, undoes);
        const whole = isJoined ? undefined : committing(state, commands, undoes);
        behind = whole?.behind ?? [];
        for (const each of within(whole?.inside ?? commands)) emit(state, each);
        return UNDEFINED;
      });
      return behind;
    };
  }
  return unknownBoundary(state, callee);
}

/** `@Transactional()` of a library that nobody knows. */
function unknownBoundary(state: State, callee: Callee): Boundary | undefined {
  const { file, lookup } = callee.scope.module;
  const { annotations, header } = callee.function;
  if (!semanticsOf(file).runsDecorators) return undefined;
  const annotation = annotations.find(({ name }) => DECORATES.test(name));
  const value = annotation && lookup(annotation.name.split(".")[0] ?? "");
  if (!annotation || (value !== undefined && value.kind !== "external")) return undefined;
  const source = rangeOf(state.workspace.lines(file), header.start, header.end);
  return (run, within) => {
    inUnknownTransaction(state, `@${annotation.name}`, source, () => {
      for (const each of within(collectCommands(state, () => void run()))) emit(state, each);
      return UNDEFINED;
    });
    return [];
  };
}

/** Runs a function whose returns and end commit, and lets libraries write before that. */
function committed(
  state: State,
  connection: Connection,
  options: TransactionOptions & { readonly source: SourceRange },
  run: () => boolean,
): void {
  const write = (source: SourceRange): void => {
    writeChanges(state, connection, { ...options, source });
  };
  const left = within(state, { frame: { ...state.frame, returning: write } }, run);
  if (!left) write(options.source);
}

/** Names of decorators that open transactions. */
const DECORATES =
  /^(?:\w+\.)?(?:Transactional|InTransaction|WithTransaction|UseTransaction|Atomic)$/u;

type Owner = NonNullable<ObjectValue["class"]>;

/** The class that a method stands in: an object's own, or one that it extends. */
function ownerOf(callee: Callee, own: ObjectValue["class"]): Owner | undefined {
  for (let at = own, depth = 0; at && depth < 8; at = superclassOf(at), depth += 1) {
    if (at.class.methods.some((method) => method.function === callee.function)) return at;
  }
  return own;
}

/** The classes and interfaces above a class, nearest first, as far as they stand in the workspace. */
function above(of: Owner, depth = 8): readonly HirClass[] {
  if (depth === 0) return [];
  const parent = superclassOf(of);
  const interfaces = of.class.interfaces.flatMap((name) => {
    const found = of.scope.module.lookup(name);
    return found?.kind === "class" ? [found] : [];
  });
  return [...(parent ? [parent] : []), ...interfaces].flatMap((each) => [
    each.class,
    ...above(each, depth - 1),
  ]);
}

/** A function that others call in a transaction of its own, which this call of its own object does not open. */
export function isEntry(state: State, callee: Callee, isOwnCall: boolean): boolean {
  if (!isOwnCall || boundaryOf(state, callee, true) !== undefined) return false;
  return boundaryOf(state, callee) !== undefined;
}
