// The high-level intermediate representation (HIR) of application code, the same for all languages. Adapters build it from syntax trees;
// the evaluator interprets it. HIR is plain data; every node has its position in the file.
import type { Span } from "../sql/text/split";

/**
 * A part of a string's value whose characters appear unchanged in the file from `start` (UTF-16). An escape, or a line end that a text
 * block changes, is a run of its own; if `length` is set, the run takes up that many characters of the file.
 */
export interface TextRun {
  readonly text: string;
  readonly start: number;
  /** Number of characters in the file, if it differs from the text's length. */
  readonly length?: number;
}

interface Node {
  readonly span: Span;
}

export type HirExpression = Node &
  (
    | { readonly kind: "literal"; readonly value: number | boolean | null | undefined }
    | { readonly kind: "text"; readonly runs: readonly TextRun[] }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "this" | "super" }
    /** `texts` has one more than `values`; the first is before the first value. `tag`: of a tagged template. */
    | {
        readonly kind: "template";
        readonly texts: readonly (readonly TextRun[])[];
        readonly values: readonly HirExpression[];
        readonly tag?: HirExpression;
      }
    | {
        readonly kind: "member";
        readonly object: HirExpression;
        readonly property: string;
        readonly optional: boolean;
      }
    | {
        readonly kind: "index";
        readonly object: HirExpression;
        readonly index: HirExpression;
        readonly optional: boolean;
      }
    /**
     * The callee of a method call is a `member`; for a Java call of a method of the same class, `this` is made explicit. `import("x")`, and
     * a `require("x")` that is not at the top level, are calls of those names.
     */
    | {
        readonly kind: "call";
        readonly callee: HirExpression;
        readonly arguments: readonly HirArgument[];
        readonly optional: boolean;
        /** As written: `User`, `Map<string, X>`. */
        readonly typeArguments?: readonly string[];
      }
    | {
        readonly kind: "new";
        readonly callee: HirExpression;
        readonly arguments: readonly HirArgument[];
        readonly typeArguments?: readonly string[];
        /** An anonymous class (Java). */
        readonly body?: HirClass;
      }
    /**
     * JavaScript's `===` stays `===`; `&&`, `||`, `??` are lazy; `instanceof`, `in` are operators; Java's `==` is `===`. `div` is Java's
     * integer division, which truncates.
     */
    | {
        readonly kind: "binary";
        readonly operator: string;
        readonly left: HirExpression;
        readonly right: HirExpression;
      }
    /** `!`, `-`, `+`, `~`, `typeof`, `void`, `delete`. */
    | { readonly kind: "unary"; readonly operator: string; readonly operand: HirExpression }
    | {
        readonly kind: "conditional";
        readonly condition: HirExpression;
        readonly then: HirExpression;
        readonly otherwise: HirExpression;
      }
    | { readonly kind: "object"; readonly entries: readonly HirEntry[] }
    | { readonly kind: "array"; readonly items: readonly HirArgument[] }
    | { readonly kind: "function"; readonly function: HirFunction }
    | { readonly kind: "class"; readonly class: HirClass }
    /** `operator` without its `=`: `+` for `+=`, `??` for `??=`, absent for `=`. */
    | {
        readonly kind: "assign";
        readonly target: HirPattern;
        readonly operator?: string;
        readonly value: HirExpression;
      }
    /** `x++`: `operator` is `+` or `-`; if `isPrefix`, the value is the one after the update. */
    | {
        readonly kind: "increment";
        readonly target: HirExpression;
        readonly operator: "+" | "-";
        readonly isPrefix: boolean;
      }
    | { readonly kind: "await"; readonly operand: HirExpression }
    /** `(a, b)`: the value is the last one's. */
    | { readonly kind: "sequence"; readonly parts: readonly HirExpression[] }
    /** Java's switch as an expression. A case without tests is the default. */
    | {
        readonly kind: "choose";
        readonly subject: HirExpression;
        readonly cases: readonly {
          readonly tests: readonly HirExpression[];
          readonly body: readonly HirStatement[];
          /** The value of a case that is an expression. */
          readonly value?: HirExpression;
        }[];
      }
    /** A cast, `satisfies` or `!`: the unchanged value with the type as written. */
    | { readonly kind: "typed"; readonly operand: HirExpression; readonly type: string }
    /** An unsupported construct; its parts are evaluated nevertheless. `what` names the construct. */
    | {
        readonly kind: "unknown";
        readonly what: string;
        readonly parts: readonly HirExpression[];
      }
  );

/** An argument or an item, possibly spread. */
export interface HirArgument {
  readonly value: HirExpression;
  readonly isSpread: boolean;
}

export type HirEntry =
  | {
      readonly kind: "property";
      /** A name, or an expression where it is computed. */
      readonly key: string | HirExpression;
      readonly value: HirExpression;
      readonly span: Span;
    }
  | { readonly kind: "spread"; readonly value: HirExpression; readonly span: Span };

/** The target to which a value is bound or assigned. */
export type HirPattern = Node &
  (
    | { readonly kind: "bind"; readonly name: string }
    /** Assignment to a member or an element of a value. */
    | { readonly kind: "place"; readonly place: HirExpression }
    | {
        readonly kind: "object";
        readonly entries: readonly {
          readonly key: string | HirExpression;
          readonly pattern: HirPattern;
        }[];
        readonly rest?: HirPattern;
      }
    | {
        readonly kind: "array";
        /** `undefined` is a hole. */
        readonly items: readonly (HirPattern | undefined)[];
        readonly rest?: HirPattern;
      }
    | { readonly kind: "default"; readonly pattern: HirPattern; readonly value: HirExpression }
  );

export type HirStatement = Node &
  (
    | {
        readonly kind: "let";
        readonly pattern: HirPattern;
        readonly value?: HirExpression;
        /** As written. */
        readonly type?: string;
        /** The variable can be reassigned (`let`, `var`; Java without `final`). */
        readonly isMutable: boolean;
      }
    | { readonly kind: "expression"; readonly expression: HirExpression }
    /** `type name = type`: a type alias. */
    | {
        readonly kind: "type";
        readonly name: string;
        readonly type: string;
        /** The names of its type parameters. */
        readonly parameters?: readonly string[];
      }
    | {
        readonly kind: "if";
        readonly condition: HirExpression;
        readonly then: readonly HirStatement[];
        readonly otherwise: readonly HirStatement[];
      }
    | {
        readonly kind: "for";
        readonly init: readonly HirStatement[];
        readonly test?: HirExpression;
        readonly update: readonly HirExpression[];
        readonly body: readonly HirStatement[];
      }
    /** `isKeys`: JavaScript's `for (k in o)`. */
    | {
        readonly kind: "forEach";
        readonly pattern: HirPattern;
        readonly over: HirExpression;
        readonly isKeys: boolean;
        readonly body: readonly HirStatement[];
      }
    /** `isTestLast`: do ... while. */
    | {
        readonly kind: "while";
        readonly test: HirExpression;
        readonly isTestLast: boolean;
        readonly body: readonly HirStatement[];
      }
    | { readonly kind: "return"; readonly value?: HirExpression }
    | { readonly kind: "throw"; readonly value: HirExpression }
    | {
        readonly kind: "try";
        /** Java's resources, closed at the end; `let` statements. */
        readonly resources: readonly HirStatement[];
        readonly body: readonly HirStatement[];
        readonly handlers: readonly {
          readonly pattern?: HirPattern;
          /** The caught types as written; empty for a catch-all. */
          readonly types: readonly string[];
          readonly body: readonly HirStatement[];
        }[];
        readonly last: readonly HirStatement[];
      }
    /** Falls through to the next case unless its body leaves. A case without tests is the default. */
    | {
        readonly kind: "switch";
        readonly subject: HirExpression;
        readonly cases: readonly {
          readonly tests: readonly HirExpression[];
          readonly body: readonly HirStatement[];
        }[];
      }
    | { readonly kind: "break" | "continue"; readonly label?: string }
    | { readonly kind: "label"; readonly label: string; readonly body: HirStatement }
    | { readonly kind: "block"; readonly body: readonly HirStatement[] }
    | { readonly kind: "function"; readonly function: HirFunction & { readonly name: string } }
    | { readonly kind: "class"; readonly class: HirClass }
    | {
        readonly kind: "unknown";
        readonly what: string;
        readonly parts: readonly HirExpression[];
      }
  );

export interface HirParameter extends Node {
  readonly pattern: HirPattern;
  /** As written. */
  readonly type?: string;
  /** TypeScript: `name?: type`. */
  readonly isOptional?: boolean;
  readonly isRest: boolean;
  readonly annotations: readonly HirAnnotation[];
}

export interface HirFunction extends Node {
  readonly name?: string;
  /** The range from the start to the body; code lenses appear above it. */
  readonly header: Span;
  readonly parameters: readonly HirParameter[];
  /** An arrow with an expression has one `return`. */
  /** Java: the return type as written. */
  readonly returns?: string;
  /** Java: the declared exceptions' class names. */
  readonly throws?: readonly string[];
  readonly body: readonly HirStatement[];
  readonly annotations: readonly HirAnnotation[];
  /** `this` is that of the enclosing function (arrow functions, Java lambdas). */
  readonly isArrow: boolean;
  readonly isGenerator: boolean;
  /** The result is awaited before the caller gets it. */
  readonly isAsync?: boolean;
}

/** A decorator or annotation. Named arguments (Java's `isolation = X`) are an object. */
export interface HirAnnotation extends Node {
  readonly name: string;
  readonly arguments: readonly HirExpression[];
}

export interface HirField extends Node {
  readonly name: string;
  /** Declared with a question mark. */
  readonly isOptional?: boolean;
  readonly type?: string;
  readonly value?: HirExpression;
  readonly isStatic: boolean;
  readonly isFinal: boolean;
  readonly annotations: readonly HirAnnotation[];
}

export interface HirMethod extends Node {
  readonly name: string;
  readonly kind: "method" | "constructor" | "get" | "set";
  readonly isStatic: boolean;
  /** Its `annotations` are the method's. TypeScript's `constructor(private x: X)` is also a field. */
  readonly function: HirFunction;
  readonly isPrivate: boolean;
  /** Java: the method has no body (an interface's method or an `abstract` one). */
  readonly isAbstract?: boolean;
}

export interface HirClass extends Node {
  readonly name?: string;
  readonly header: Span;
  /** As written, without type arguments. */
  readonly superclass?: string;
  readonly interfaces: readonly string[];
  /** Java: the extended and implemented types as written. */
  readonly supertypes?: readonly string[];
  readonly isInterface: boolean;
  readonly fields: readonly HirField[];
  readonly methods: readonly HirMethod[];
  /** Java's nested classes, enums' constants as static final fields. */
  readonly classes: readonly HirClass[];
  readonly annotations: readonly HirAnnotation[];
}

/**
 * `import { imported as local } from "from"`; `imported` is `default`, or `*` for the whole module. Java: `from` is the
 * class (`a.b.C`), or with `*` the package; `isStatic`: `imported` is a member of the class `from`, or `*` for all of them.
 */
export interface HirImport extends Node {
  readonly local: string;
  readonly imported: string;
  readonly from: string;
  readonly isStatic?: boolean;
}

/**
 * `export { local as name }`, or a re-export if `from` is set. `name` `*` without `local`: all exports of that module; with `local`: the
 * module itself is that value (`module.exports = local`). `local` `*`: that module as one value.
 */
export interface HirExport extends Node {
  readonly name: string;
  readonly local?: string;
  readonly from?: string;
}

export interface HirModule {
  readonly language: "typescript" | "javascript" | "java";
  /** Java's package. */
  readonly package?: string;
  /** A top-level `require("x")` is an import as well. */
  readonly imports: readonly HirImport[];
  readonly exports: readonly HirExport[];
  readonly body: readonly HirStatement[];
  /** All comments, in order. */
  readonly comments: readonly Span[];
  /** Ranges that could not be parsed or are nested too deeply. */
  readonly errors: readonly Span[];
}
