// Semantic differences between the languages as the evaluator needs them: one row per language. The readers (`typescript/`, `java/`) handle
// differences in syntax; tables in `evaluate/builtins/` handle differences in built-in functions.
import type { FileId } from "../../protocol/source";
import type { HirModule } from "./hir";

export interface Semantics {
  readonly family: "ecmascript" | "java";
  /** Types are structural: a record belongs to every type whose members it has. */
  readonly hasStructuralTypes: boolean;
  /** There is `undefined` besides `null`. */
  readonly hasUndefined: boolean;
  /** Functions may return promises, which fail where they are awaited. */
  readonly hasPromises: boolean;
  /** Methods can be overloaded, and fields and methods have separate namespaces. */
  readonly hasOverloads: boolean;
  /** A class without a constructor inherits that of its superclass. */
  readonly inheritsConstructors: boolean;
  /** Decorators are functions that run on their target; annotations are only declarative. */
  readonly runsDecorators: boolean;
  /** Names of other files are imported as values; otherwise classes are known by their packages. */
  readonly namesByImport: boolean;
  /** Modules can be loaded at run time. */
  readonly loadsModules: boolean;
  /** Errors are caught by their classes. */
  readonly catchesByClass: boolean;
  /** An index beyond the end of a list throws. */
  readonly checksBounds: boolean;
  /** A single array passed for a rest parameter is the whole list of arguments. */
  readonly takesArrayAsRest: boolean;
  /** Fields of records are read by accessor methods of the same name; a function is an object with one method of any name. */
  readonly hasAccessors: boolean;
  /** Unknown code may change records that are passed to it; beans are passed only to be sent or logged. */
  readonly changesArguments: boolean;
  /** Lists and records are instances of the built-in classes `Array` and `Object`. */
  readonly hasLiterals: boolean;
  /** Unknown repositories commit each call outside of a transaction, as Spring's do. */
  readonly commitsEachCall: boolean;
}

const ECMASCRIPT: Semantics = {
  family: "ecmascript",
  hasStructuralTypes: true,
  hasUndefined: true,
  hasPromises: true,
  hasOverloads: false,
  inheritsConstructors: true,
  runsDecorators: true,
  namesByImport: true,
  loadsModules: true,
  catchesByClass: false,
  checksBounds: false,
  takesArrayAsRest: false,
  hasAccessors: false,
  changesArguments: true,
  hasLiterals: true,
  commitsEachCall: false,
};

const JAVA: Semantics = {
  family: "java",
  hasStructuralTypes: false,
  hasUndefined: false,
  hasPromises: false,
  hasOverloads: true,
  inheritsConstructors: false,
  runsDecorators: false,
  namesByImport: false,
  loadsModules: false,
  catchesByClass: true,
  checksBounds: true,
  takesArrayAsRest: true,
  hasAccessors: true,
  changesArguments: false,
  hasLiterals: false,
  commitsEachCall: true,
};

/** The semantics of a file's language, by the file's extension. */
export function semanticsOf(file: FileId): Semantics {
  return semanticsIn(file.endsWith(".java") ? "java" : undefined);
}

/** The semantics of a language; ECMAScript's if it is not known. */
export function semanticsIn(language: HirModule["language"] | undefined): Semantics {
  return language === "java" ? JAVA : ECMASCRIPT;
}

/** True if a library belongs to a language: Java's modules are packages. */
export function isOfLanguage(
  { modules }: { readonly modules: readonly string[] },
  { family }: Semantics,
): boolean {
  const isOfJava = modules.some((module) => /^(?:java|javax|jakarta|org|com)\./u.test(module));
  return isOfJava === (family === "java");
}
