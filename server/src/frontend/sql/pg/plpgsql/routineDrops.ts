// DROP FUNCTION, DROP PROCEDURE and DROP ROUTINE.
import type { Node } from "libpg-query";
import { lastName, schemaOf } from "../ast";
import type { PgParser } from "../pgParser";
import { typesText, type RoutineText } from "./routineDefinition";

export interface DroppedRoutine {
  readonly name: string;
  readonly schema: string | undefined;
  /** The argument types, in the forms that DROP may use; undefined for any. */
  readonly takes: readonly string[] | undefined;
}

/** The routines that the statement drops; none for other statements and unreadable ones. */
export function droppedRoutines(
  { lines, start, end }: RoutineText,
  parser: PgParser,
): readonly DroppedRoutine[] {
  const text = lines.text.slice(start, end);
  if (!DROPS.test(text)) return [];
  const parsed = parser.parse(text);
  if (!parsed.ok) return [];
  return parsed.statements.flatMap(({ node }) =>
    "DropStmt" in node ? (node.DropStmt.objects ?? []).flatMap(droppedRoutine) : [],
  );
}

const DROPS = /^drop\s+(?:function|procedure|routine)\b/i;

function droppedRoutine(node: Node): readonly DroppedRoutine[] {
  if (!("ObjectWithArgs" in node)) return [];
  const { objname, objargs = [], objfuncargs = [], args_unspecified } = node.ObjectWithArgs;
  const typesOf = (nodes: readonly Node[]): string =>
    typesText(nodes.map((each) => ("TypeName" in each ? each.TypeName : undefined)));
  const inputs = objfuncargs.flatMap((each) =>
    "FunctionParameter" in each && !/OUT|TABLE/.test(each.FunctionParameter.mode ?? "")
      ? [each.FunctionParameter.argType]
      : [],
  );
  return [
    {
      name: lastName(objname),
      schema: schemaOf(objname),
      takes: args_unspecified === true ? undefined : [typesOf(objargs), typesText(inputs)],
    },
  ];
}
