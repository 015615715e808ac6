// The product behind the driver of interleavings: a schema for a program, its rows, sessions that stop at gates, and what
// each session is doing. Servers know nothing of verdicts.
import type { Call, FuzzProgram } from "./program";

/** The state of a session that has not answered: between two looks it may do another thing. */
export type Activity = "gate" | "blocked" | "runs";

export type Answer =
  | { readonly ok: true; readonly rows: readonly Readonly<Record<string, unknown>>[] }
  | { readonly ok: false; readonly code: string; readonly message: string };

export interface Actor {
  /** The server's number of the session. */
  readonly id: number;
  /** A refusal of the server is a value; a lost connection rejects. */
  execute(sql: string): Promise<Answer>;
}

export interface Stage {
  readonly version: string;
  /** Makes the tables and routines of a program. What the server refuses is given. */
  define(program: FuzzProgram): Promise<string | undefined>;
  /**
   * Puts the rows that the statements insert in place of all that is there; afresh, nothing is left of rows that went. What the
   * server refuses is given.
   */
  reset(init: readonly string[], isAfresh: boolean): Promise<string | undefined>;
  /** All rows of all tables, as text. */
  state(): Promise<string>;
  /** Sessions for so many instances; they are kept. */
  actors(count: number): Promise<readonly Actor[]>;
  /** From now on actors stop at gates, or no longer. */
  hold(count: number): Promise<void>;
  letGo(): Promise<void>;
  /** Takes the gates' locks from sessions whose transactions have ended: an aborted one releases none. */
  rest(): Promise<void>;
  /** Lets the actor, which stands at a gate, go on to the next one. */
  pass(actor: number): Promise<void>;
  activities(count: number): Promise<readonly Activity[]>;
  /** The text that begins a transaction at the level; `first` is how a script begins, and routines begin as they do. */
  begin(level: string, first?: string): readonly string[];
  /** The statements that run a routine and give what it returns. */
  call(call: Call): readonly string[];
  /** Ends statements that wait for ever. */
  interrupt(): Promise<void>;
  close(): Promise<void>;
}
