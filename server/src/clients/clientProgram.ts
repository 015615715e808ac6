// A client program as written in its file: initial rows, sessions of calls, assertions. Ranges are kept for problems.
import type { Range } from "../protocol/source";
import type { Row, Value } from "../protocol/witness";

/** An argument of a call: a value, or a list for an array parameter. */
export type ClientArgument = Value | readonly Value[];

/** One transaction of a session: a call of a transaction of the workspace. */
export interface ClientCall {
  /** The transaction's name. */
  readonly name: string;
  readonly nameRange: Range;
  /** By position, or by name. */
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

/** An assertion about the end of every execution: an SQL query, or an expression over results. */
export interface ClientAssertion {
  readonly text: string;
  readonly range: Range;
}

export interface InitialTable {
  readonly name: string;
  readonly nameRange: Range;
  readonly rows: readonly { readonly row: Row; readonly range: Range }[];
}

/** A client program in JSON, not yet bound to the transactions that it names. */
export interface JsonClient {
  /** Files and folders with the transactions, relative to the client's folder; empty for the SQL files of its folder. */
  readonly sources: readonly string[];
  readonly initial: readonly InitialTable[];
  readonly sessions: readonly (readonly ClientCall[])[];
  readonly assertions: readonly ClientAssertion[];
  /** The file's declared level, used unless the user asks for another one. */
  readonly level?: { readonly name: string; readonly range: Range };
}

/** A problem that prevents exploring a client program, or a remark. */
export interface ClientProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly range: Range;
}
