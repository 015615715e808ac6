// Definitions in DO blocks, as migrations write them: behind a look into the catalogues, or with a handler for what
// is there already. Their rows and what they put together at run time are not followed here.
import type { Node } from "libpg-query";
import type { SqlPiece } from "../../lowering";
import { DEFINES } from "../../definitionFilter";
import { pieceOf } from "../../routine/body";
import type { Span } from "../../text/split";
import { stringOf, tokensOf } from "../../text/tokens";
import { parsePlBody } from "../plpgsql/parser";
import type { Block, PlStatement } from "../plpgsql/tree";
import type { PgParser } from "../pgParser";
import { readDefinition, type RoutineDefinition } from "../plpgsql/routineDefinition";
import { hasNoMeaning, leavesTables } from "../inertDefinitions";
import { recordLoss, say, type State } from "./schemaState";
import { holdsNow } from "./catalogGuards";

/** Replays the definitions of the block in the order in which they run. */
export function replayBlock(state: State, parser: PgParser, replay: (node: Node) => void): void {
  const { piece } = state;
  const read = readDefinition(piece, parser);
  if (!read.ok || read.definition.language !== "plpgsql") return;
  const { block } = parsePlBody(read.definition.body.text);
  if (block === undefined) return;
  walkBlock(block, { state, parser, replay, definition: read.definition, whole: piece });
  state.piece = piece;
}

interface Walk {
  readonly state: State;
  readonly parser: PgParser;
  readonly replay: (node: Node) => void;
  readonly definition: RoutineDefinition;
  readonly whole: SqlPiece;
}

/** True if what follows runs: nothing does behind a RETURN. */
type Goes = "on" | "perhaps" | "ended";

function walkBlock({ body, handlers }: Block, walk: Walk): Goes {
  const goes = walkAll(body, walk);
  for (const each of handlers) leaveOut(each.body, walk, "an error");
  return goes;
}

function walkAll(statements: readonly PlStatement[], walk: Walk): Goes {
  let goes: Goes = "on";
  for (const [at, each] of statements.entries()) {
    const next = walkOne(each, walk);
    if (next === "ended") return "ended";
    if (next === "perhaps" && goes === "on") {
      goes = next;
      const rest = statements.slice(at + 1);
      if (definitionsIn(rest, walk).length > 0) {
        walk.state.piece = walk.whole;
        recordLoss(walk.state, "whether definitions behind a RETURN run");
      }
    }
  }
  return goes;
}

function walkOne(statement: PlStatement, walk: Walk): Goes {
  switch (statement.kind) {
    case "block":
      return walkBlock(statement.block, walk);
    case "sql":
      run(pieceOf(walk.definition.body, statement.span), walk);
      return "on";
    case "execute": {
      const text = constantText(walk, statement.command);
      if (text === undefined) leaveOut([statement], walk, "a text that is put together");
      else run({ ...pieceOf(walk.definition.body, statement.span), sql: text }, walk);
      return "on";
    }
    case "if":
      return walkBranches(statement.branches, statement.otherwise ?? [], walk);
    case "case":
      leaveOut(
        statement.branches.flatMap(({ body }) => body),
        walk,
        "a condition",
      );
      leaveOut(statement.otherwise ?? [], walk, "a condition");
      return "perhaps";
    case "loop":
      leaveOut(statement.body, walk, "a loop");
      return "on";
    case "return":
      return "ended";
    default:
      return "on";
  }
}

function walkBranches(
  [first, ...others]: readonly {
    readonly condition: Span;
    readonly body: readonly PlStatement[];
  }[],
  otherwise: readonly PlStatement[],
  walk: Walk,
): Goes {
  if (first === undefined) return walkAll(otherwise, walk);
  const holds = decided(first.condition, walk);
  if (holds === true) return walkAll(first.body, walk);
  if (holds === false) return walkBranches(others, otherwise, walk);
  const bodies = [...[first, ...others].map(({ body }) => body), otherwise];
  for (const body of bodies) leaveOut(body, walk, "a condition");
  return bodies.some((body) => body.some(({ kind }) => kind === "return")) ? "perhaps" : "on";
}

function decided(condition: Span, { definition, parser, state }: Walk): boolean | undefined {
  const parsed = parser.parse(pieceOf(definition.body, condition, { before: "SELECT " }).sql);
  const node = parsed.ok ? parsed.statements[0]?.node : undefined;
  if (node === undefined || !("SelectStmt" in node)) return undefined;
  const [target] = node.SelectStmt.targetList ?? [];
  const value = target !== undefined && "ResTarget" in target ? target.ResTarget.val : undefined;
  return value === undefined ? undefined : holdsNow(value, state);
}

/** The text of EXECUTE where it is one literal. */
function constantText({ definition }: Walk, command: Span): string | undefined {
  const text = definition.body.text.slice(command.start, command.end);
  const [only, ...others] = tokensOf(text, 0, text.length);
  return only?.kind === "string" && others.length === 0 ? stringOf(text, only) : undefined;
}

function run(piece: SqlPiece, { state, parser, replay }: Walk): void {
  if (!DEFINES.test(piece.sql)) return;
  const parsed = parser.parse(piece.sql);
  if (!parsed.ok) return;
  state.piece = piece;
  for (const { node } of parsed.statements) if (isDefinition(node)) replay(node);
}

const isDefinition = (node: Node): boolean =>
  /^(Create|Alter|Drop|Rename|Index|View|Rule)/.test(Object.keys(node)[0] ?? "");

/** Says that definitions which may or may not run are not taken. */
function leaveOut(statements: readonly PlStatement[], walk: Walk, behind: string): void {
  const [first] = definitionsIn(statements, walk);
  if (first === undefined) return;
  walk.state.piece = pieceOf(walk.definition.body, first.span);
  say(
    walk.state,
    `Whether this definition runs depends on ${behind}; it is taken not to.`,
    "definition-left-out",
  );
}

/** The statements below that change tables or keys. */
function definitionsIn(statements: readonly PlStatement[], walk: Walk): readonly PlStatement[] {
  return statements.flatMap((each): readonly PlStatement[] => {
    switch (each.kind) {
      case "block":
        return definitionsIn(
          [...each.block.body, ...each.block.handlers.flatMap(({ body }) => body)],
          walk,
        );
      case "if":
      case "case":
        return definitionsIn(
          [...each.branches.flatMap(({ body }) => body), ...(each.otherwise ?? [])],
          walk,
        );
      case "loop":
        return definitionsIn(each.body, walk);
      case "execute":
        return changesTables(walk, each.span) ? [each] : [];
      case "sql":
        return changesTables(walk, each.span) && isMeant(walk, each.span) ? [each] : [];
      default:
        return [];
    }
  });
}

function changesTables({ definition }: Walk, { start, end }: Span): boolean {
  return DEFINES.test(definition.body.text.slice(start, end));
}

function isMeant({ definition, parser }: Walk, span: Span): boolean {
  const parsed = parser.parse(pieceOf(definition.body, span).sql);
  if (!parsed.ok) return true;
  return parsed.statements.some(({ node }) => !hasNoMeaning(node) && !leavesTables(node));
}
