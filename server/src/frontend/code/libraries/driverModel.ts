// A driver that sends SQL text as plain data: what our models and those of a workspace (`isolens.models`) have in common.
import type { Dialect } from "../../../program/dialect";

export interface DriverModel {
  readonly name: string;
  readonly modules: readonly string[];
  /** By the names that `methods` uses. */
  readonly clients: Readonly<Record<string, ClientModel>>;
  /** By clients and methods, `pool|client: query execute`; without a client, functions of the module. */
  readonly methods: Readonly<Record<string, Effect>>;
  /** Results go to a callback where the last argument is one. */
  readonly callbacks?: boolean;
  /** A receiver that nobody declares is a client if it is asked for SQL by one of these methods, at these dialects. */
  readonly duckTyped?: {
    readonly methods: readonly string[];
    readonly dialects: readonly Dialect[];
    readonly pool: string;
    readonly connection: string;
  };
}

export interface ClientModel {
  /** A pool runs each statement on a connection of its own; a connection keeps its transaction. */
  readonly kind: "pool" | "connection";
  /** The name of its handles, where another client's methods are its own. */
  readonly as?: string;
  /** It may be one connection as well as many. */
  readonly isPerhapsOne?: boolean;
  /** TypeScript types, without namespaces, whose values are such clients. */
  readonly types?: readonly string[];
  /** Functions and classes that make one: names of the module, or paths from one (`pg.Pool`). A default import has the module's name. */
  readonly made?: readonly string[];
  /** Values that the module exports: `MODULE:NAME`. */
  readonly exported?: readonly string[];
}

/** A part of an outcome, an object of several, or a list of several. */
export type Result = ResultPart | readonly Result[] | { readonly [name: string]: Result };
export type ResultPart = (typeof RESULT_PARTS)[number];

/** `value`: the only column of the first row; `exists`: whether there is a row; `fields`: the columns' description. */
export const RESULT_PARTS = [
  "rows", "row", "value", "values", "exists", "count", "insertId", "fields", "nothing",
] as const; // prettier-ignore

export type Effect =
  /** `nothing` calls no callback: it may be a listener. */
  | { readonly kind: "nothing" | "done" | "begin" | "commit" | "rollback" }
  /** The same connection and text, as that client where one is named. */
  | { readonly kind: "itself"; readonly client?: string }
  | { readonly kind: "argument" }
  | { readonly kind: "client"; readonly client: string }
  /** A client on a connection on which a transaction is open from here on; `level`: the option with its level. */
  | { readonly kind: "open"; readonly client: string; readonly level?: string }
  /** A list of statements runs in one transaction; each is a text or a record with its text. */
  | { readonly kind: "batch"; readonly result: Result }
  /** The text is kept for the methods of that client. */
  | { readonly kind: "prepare"; readonly client: string }
  | {
      readonly kind: "sql";
      readonly result: Result;
      /** The result of statements that return no rows, where it differs. */
      readonly changed?: Result;
      /** No row is an error. */
      readonly isRequired?: boolean;
      /** Parameters are a list or record behind the text, or (`rest`) the remaining arguments as well. */
      readonly parameters?: "rest";
    }
  /** A function among the arguments runs with that client, on a connection of its own. */
  | {
      readonly kind: "scope";
      readonly client: string;
      readonly isTransaction: boolean;
      /** In an open transaction it is a savepoint. */
      readonly isNested?: boolean;
      /** The option with the level, of a record among the arguments. */
      readonly level?: string;
      /** The reason why nobody knows whether, or how, it is a transaction. */
      readonly doubt?: string;
      /** True if any further argument raises the doubt. */
      readonly doubtsOptions?: boolean;
      /** Returns a function that runs the argument in the transaction. */
      readonly isWrapper?: boolean;
    };
