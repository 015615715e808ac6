// The errors that a declared transaction is undone for: unchecked ones, and what `rollbackFor` and `noRollbackFor` say
// (Jakarta: `rollbackOn`, `dontRollbackOn`). The rule for the nearest class counts.
import type { HirAnnotation, HirExpression } from "../../hir";
import type { ErrorClass, UndoRule } from "../../evaluate/errors/errorClass";

interface Rule {
  readonly undoes: boolean;
  /** How near a class is to the error's own; undefined: it is none of the error's. */
  readonly depth: (thrown: ErrorClass) => number | undefined;
}

const NAMES: ReadonlyMap<string, boolean> = new Map([
  ["rollbackFor", true],
  ["rollbackForClassName", true],
  ["rollbackOn", true],
  ["noRollbackFor", false],
  ["noRollbackForClassName", false],
  ["dontRollbackOn", false],
]);

/** The annotation's word on the errors that leave its method. */
export function undoRule({ arguments: [given] }: HirAnnotation): UndoRule {
  const entries = given?.kind === "object" ? given.entries : [];
  const rules = entries.flatMap((entry): readonly Rule[] => {
    const undoes =
      entry.kind === "property" && typeof entry.key === "string" ? NAMES.get(entry.key) : undefined;
    return undoes === undefined ? [] : named(entry.value).map((depth) => ({ undoes, depth }));
  });
  return (thrown) => {
    let nearest: { readonly at: number; readonly undoes: boolean } | undefined;
    for (const { undoes, depth } of rules) {
      const at = depth(thrown);
      if (at !== undefined && (nearest === undefined || at < nearest.at)) nearest = { at, undoes };
    }
    if (nearest) return nearest.undoes;
    return thrown.isChecked === undefined ? undefined : !thrown.isChecked;
  };
}

/** `A.class`, `"A"`, or several of them. */
function named(hir: HirExpression): readonly Rule["depth"][] {
  if (hir.kind === "array") return hir.items.flatMap(({ value }) => named(value));
  if (hir.kind === "text") {
    const pattern = hir.runs.map(({ text }) => text).join("");
    return [({ classes }) => found(classes.findIndex((name) => name.includes(pattern)))];
  }
  const name = hir.kind === "member" && hir.property === "class" ? lastName(hir.object) : undefined;
  return name === undefined ? [] : [({ classes }) => found(classes.indexOf(name))];
}

function found(at: number): number | undefined {
  return at === -1 ? undefined : at;
}

function lastName(hir: HirExpression): string | undefined {
  if (hir.kind === "member") return hir.property;
  return hir.kind === "name" ? hir.name.replace(/^.*\./u, "") : undefined;
}
