// Applies annotations to the transaction that they belong to, of scripts and routines.
import { atBegin, namedLevel, type DeclaredLevel } from "../../../program/declaredLevel";
import type { Annotation, Note, Transaction } from "../../../program/program";
import type { Expression } from "../../../program/expression";
import { rangeOf, type LineIndex } from "../text/lines";
import { nearestName, type AnnotationComment } from "./annotations";

/** The transaction with its level, preconditions and comments; its name is unchanged. */
export function applyAnnotations(
  transaction: Transaction,
  comments: readonly AnnotationComment[],
  lines: LineIndex,
  note: (note: Note) => void,
): Transaction {
  let result = transaction;
  for (const comment of comments) {
    const source = rangeOf(lines, comment.start, comment.end);
    switch (comment.kind) {
      case "level":
        result = {
          ...result,
          level: overruled(result, { name: comment.name, from: "comment", source }),
        };
        break;
      case "distinct": {
        const preconditions = distinct(result, comment.pairs, (message) =>
          note({ severity: "warning", code: "annotation-parameter", message, source }),
        );
        result = { ...result, preconditions: [...result.preconditions, ...preconditions] };
        break;
      }
      case "invariant": {
        const annotation: Annotation = { kind: comment.kind, text: comment.text, source };
        result = { ...result, annotations: [...result.annotations, annotation] };
        break;
      }
      case "learnt":
        result = {
          ...result,
          annotations: [...result.annotations, { kind: comment.kind, text: comment.text, source }],
        };
        break;
      case "over":
        result = {
          ...result,
          taint: [...result.taint, { effect: "over", reason: comment.reason, source }],
        };
        break;
      case "at":
      case "query":
      case "rows":
      case "transaction":
      case "unit":
        break;
      default:
        comment satisfies never;
    }
  }
  return result;
}

/** A comment sets the level, but not the time of the snapshot. */
function overruled({ level: before }: Transaction, level: DeclaredLevel): DeclaredLevel {
  const isAtBegin = before !== undefined && namedLevel(before.name).isAtBegin;
  return isAtBegin ? { ...level, name: atBegin(level.name) } : level;
}

function distinct(
  transaction: Transaction,
  pairs: readonly (readonly [string, string])[],
  problem: (message: string) => void,
): readonly Expression[] {
  const names = transaction.parameters.map((parameter) => parameter.name);
  const conditions: Expression[] = [];
  const reported = new Set<string>();
  function find(written: string): Expression | undefined {
    const folded = written.toLowerCase();
    const name = names.find((each) => each.replace(/^\$/, "").toLowerCase() === folded);
    if (name !== undefined) return { kind: "parameter", name };
    if (!reported.has(written)) {
      const near = nearestName(written, names);
      const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
      problem(`${transaction.name} has no parameter "${written}".${hint}`);
      reported.add(written);
    }
    return undefined;
  }
  for (const [first, second] of pairs) {
    const left = find(first);
    const right = find(second);
    if (left !== undefined && right !== undefined) {
      conditions.push({ kind: "comparison", operator: "<>", left, right });
    }
  }
  return conditions;
}
