// Arguments that commands of the command line have in common.
import type { Level } from "../isolation/levels";
import type { FindingArguments } from "./findingArguments";

export type Format = "text" | "json";

/** How `check` tells what it found. */
export type CheckFormat = Format | "sarif" | "github";

/** A level of the table, or the name or file of one that the user defines. */
export interface AskedLevel {
  readonly name: string;
  readonly level?: Level;
}

/** Arguments of all commands that check. */
export interface CommonArguments {
  readonly paths: readonly string[];
  /** Empty: the configuration's. */
  readonly levels: readonly AskedLevel[];
  readonly maxTransactions?: number;
  /** Rounds of a loop that are looked at. */
  readonly unroll?: number;
  /** True: asks for a proof for any number of transactions. */
  readonly prove?: true;
  /** Milliseconds. */
  readonly budget?: number;
  readonly configurationFile?: string;
  readonly timings: boolean;
  readonly nodePath?: string;
  /** False: results of earlier runs are not used, and none are kept. */
  readonly cache?: false;
}

export interface CheckArguments extends CommonArguments, FindingArguments {
  readonly command: "check";
  readonly format: CheckFormat;
}

export interface ShowArguments extends CommonArguments {
  readonly command: "show";
  readonly format: Format;
  readonly anomaly: string;
}

export interface AllocateArguments extends CommonArguments {
  readonly command: "allocate";
  readonly format: Format;
}

export type ArgumentsResult<Of> =
  { readonly ok: true; readonly arguments: Of } | { readonly ok: false; readonly message: string };

export function refuse(message: string): ArgumentsResult<never> {
  return { ok: false, message };
}
