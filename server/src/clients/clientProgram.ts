// A client program as its file says it: rows at the start, sessions of calls, assertions. Places are kept, so that every
// later remark can point at the very word.
import type { Range } from "../protocol/source";
import type { Row, Value } from "../protocol/witness";

/** An argument of a call: a value, or a list of values for a parameter that is an array. */
export type ClientArgument = Value | readonly Value[];

/** One transaction of a session: a call of a transaction of the workspace. */
export interface ClientCall {
  /** The transaction's name. */
  readonly name: string;
  readonly nameRange: Range;
  /** In the order of the parameters, or by their names. */
  readonly arguments: GivenArguments;
  readonly range: Range;
}

export type GivenArguments =
  | { readonly by: "place"; readonly list: readonly PlacedArgument[] }
  | { readonly by: "name"; readonly named: ReadonlyMap<string, PlacedArgument> };

export interface PlacedArgument {
  readonly value: ClientArgument;
  readonly range: Range;
}

/** Assertion about the end of every execution: a query in SQL or an expression over results. */
export interface ClientAssertion {
  readonly text: string;
  readonly range: Range;
}

export interface InitialTable {
  readonly name: string;
  readonly nameRange: Range;
  readonly rows: readonly { readonly row: Row; readonly range: Range }[];
}

/** A client program in JSON, not yet held against the transactions that it names. */
export interface JsonClient {
  /** Files and folders with the transactions, relative to the client's folder; empty: the SQL files of its folder. */
  readonly sources: readonly string[];
  readonly initial: readonly InitialTable[];
  readonly sessions: readonly (readonly ClientCall[])[];
  readonly assertions: readonly ClientAssertion[];
  /** The level that the file asks for, where nobody asks for another one. */
  readonly level?: { readonly name: string; readonly range: Range };
}

/** Something that keeps a client program from being explored, or a remark on it. */
export interface ClientProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly range: Range;
}
