// Where the languages differ for the evaluator: one row per language. What differs in how texts are read is the readers'
// (`typescript/`, `java/`), what differs in functions of the language itself is in tables (`evaluate/builtins/`).
import type { FileId } from "../../protocol/source";
import type { HirModule } from "./hir";

export interface Semantics {
  readonly family: "ecmascript" | "java";
  /** Types are what they have, not what they are called: a record is of each type whose members it has. */
  readonly hasStructuralTypes: boolean;
  /** `undefined` stands beside `null`. */
  readonly hasUndefined: boolean;
  /** Functions may give promises, which fail where they are awaited. */
  readonly hasPromises: boolean;
  /** Several methods have one name with other parameters, and fields are named apart from methods. */
  readonly hasOverloads: boolean;
  /** A class without a constructor has the one above it, and `super(...)` need not name it. */
  readonly inheritsConstructors: boolean;
  /** Decorators are functions that run on what they stand at; annotations say something alone. */
  readonly runsDecorators: boolean;
  /** Names of other files come by imports of values; elsewhere classes are known by the names of their packages. */
  readonly namesByImport: boolean;
  /** Modules are asked for while the code runs. */
  readonly loadsModules: boolean;
  /** Errors are caught by their classes. */
  readonly catchesByClass: boolean;
  /** An index beyond the end of a list is an error. */
  readonly checksBounds: boolean;
  /** An array that stands alone in the place of a rest parameter is all of it. */
  readonly takesArrayAsRest: boolean;
  /** Fields of records are asked for by methods of their names; a function is an object with one method of any name. */
  readonly hasAccessors: boolean;
  /** Code that nobody knows changes records that it is given; beans are given to be sent or logged. */
  readonly changesArguments: boolean;
  /** Lists and records are of the language's own classes `Array` and `Object`. */
  readonly hasLiterals: boolean;
  /** Repositories that nobody knows commit each call that stands outside of transactions, as Spring's do. */
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

/** The semantics of a file's language, by how the file is called. */
export function semanticsOf(file: FileId): Semantics {
  return semanticsIn(file.endsWith(".java") ? "java" : undefined);
}

/** The semantics of a language, ECMAScript's where it is not known. */
export function semanticsIn(language: HirModule["language"] | undefined): Semantics {
  return language === "java" ? JAVA : ECMASCRIPT;
}

/** True if a library is of a language: Java's modules are packages. */
export function isOfLanguage(
  { modules }: { readonly modules: readonly string[] },
  { family }: Semantics,
): boolean {
  const isOfJava = modules.some((module) => /^(?:java|javax|jakarta|org|com)\./u.test(module));
  return isOfJava === (family === "java");
}
