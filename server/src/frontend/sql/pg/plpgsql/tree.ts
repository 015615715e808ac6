// The statements of PL/pgSQL; SQL inside of them stays text.
import type { Target } from "../../routine/assign";
import type { BranchText } from "../../routine/branchText";
import type { Span } from "../../text/split";

export interface Into {
  readonly targets: readonly Target[];
  readonly strict: boolean;
  readonly span: Span;
}

export interface Declaration {
  readonly name: string;
  readonly span: Span;
  /** The type as written, without NOT NULL, COLLATE and default. */
  readonly type: string;
  readonly value?: Span;
  /** `name ALIAS FOR other`. */
  readonly alias?: readonly string[];
  readonly cursor?: { readonly query: Span; readonly parameters: readonly string[] };
}

export interface Block {
  readonly label: string | undefined;
  readonly declarations: readonly Declaration[];
  readonly body: readonly PlStatement[];
  readonly handlers: readonly {
    readonly conditions: readonly string[];
    readonly body: readonly PlStatement[];
  }[];
  readonly hasHandlers: boolean;
}

export type LoopOver =
  | { readonly kind: "forever" }
  | { readonly kind: "while"; readonly condition: Span }
  | {
      readonly kind: "count";
      readonly variable: string;
      readonly from: Span;
      readonly to: Span;
      readonly step: Span | undefined;
      readonly reverse: boolean;
    }
  | { readonly kind: "query"; readonly targets: readonly Target[]; readonly query: Span }
  | {
      readonly kind: "cursor";
      readonly targets: readonly Target[];
      readonly cursor: string;
      readonly args: readonly Span[];
    }
  | {
      readonly kind: "dynamic";
      readonly targets: readonly Target[];
      readonly command: Span;
      readonly using: readonly Span[];
    }
  | { readonly kind: "array"; readonly targets: readonly Target[]; readonly array: Span };

type PlKind =
  | { readonly kind: "block"; readonly block: Block }
  | { readonly kind: "assign"; readonly target: Target; readonly value: Span }
  | { readonly kind: "sql"; readonly into: Into | undefined }
  | { readonly kind: "perform"; readonly query: Span }
  | {
      readonly kind: "if";
      readonly branches: readonly BranchText<PlStatement>[];
      readonly otherwise: readonly PlStatement[] | undefined;
    }
  | {
      readonly kind: "case";
      readonly subject: Span | undefined;
      readonly branches: readonly BranchText<PlStatement>[];
      readonly otherwise: readonly PlStatement[] | undefined;
    }
  | {
      readonly kind: "loop";
      readonly label: string | undefined;
      readonly over: LoopOver;
      /** The words up to LOOP. */
      readonly header: Span;
      readonly body: readonly PlStatement[];
    }
  | {
      readonly kind: "exit" | "continue";
      readonly label: string | undefined;
      readonly when: Span | undefined;
    }
  | { readonly kind: "return"; readonly value: Span | undefined }
  | { readonly kind: "returnNext"; readonly value: Span | undefined }
  | { readonly kind: "returnQuery"; readonly query: Span }
  | { readonly kind: "returnExecute"; readonly command: Span; readonly using: readonly Span[] }
  | { readonly kind: "raise"; readonly level: string; readonly text: string }
  | { readonly kind: "assert"; readonly condition: Span }
  | {
      readonly kind: "execute";
      readonly command: Span;
      readonly into: Into | undefined;
      readonly using: readonly Span[];
    }
  | {
      readonly kind: "diagnostics";
      readonly items: readonly { readonly target: Target; readonly what: string }[];
    }
  | {
      readonly kind: "open";
      readonly cursor: string;
      readonly query: Span | undefined;
      readonly command: Span | undefined;
      readonly args: readonly Span[];
    }
  | {
      readonly kind: "fetch";
      readonly cursor: string;
      readonly targets: readonly Target[];
      readonly plain: boolean;
    }
  | { readonly kind: "close" | "null" }
  | { readonly kind: "commit" | "rollback" }
  | { readonly kind: "broken"; readonly message: string };

/** A statement with its text, without the semicolon. */
export type PlStatement = PlKind & { readonly span: Span };

/** The first names of everything that a block assigns; other arguments keep their initial value. */
export function assignedNames(block: Block): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (targets: readonly Target[]): void => {
    for (const { path } of targets) for (const part of path.slice(0, 2)) names.add(part);
  };
  const visitAll = (statements: readonly PlStatement[]): void => statements.forEach(visit);
  const visitBlock = (inner: Block): void => {
    visitAll(inner.body);
    for (const { body } of inner.handlers) visitAll(body);
  };
  function visit(statement: PlStatement): void {
    switch (statement.kind) {
      case "block":
        visitBlock(statement.block);
        return;
      case "assign":
        add([statement.target]);
        return;
      case "sql":
      case "execute":
        if (statement.into !== undefined) add(statement.into.targets);
        return;
      case "if":
      case "case":
        for (const { body } of statement.branches) visitAll(body);
        visitAll(statement.otherwise ?? []);
        return;
      case "loop":
        if ("targets" in statement.over) add(statement.over.targets);
        visitAll(statement.body);
        return;
      case "diagnostics":
        add(statement.items.map((item) => item.target));
        return;
      case "fetch":
        add(statement.targets);
        return;
      default:
        return;
    }
  }
  visitBlock(block);
  return names;
}
