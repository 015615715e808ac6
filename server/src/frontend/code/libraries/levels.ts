// The level that a call asks for.
import { constantText, type Value } from "../values";
import type { TransactionOptions } from "./library";

/**
 * The level of an option: a text, or a constant of the library by its last name. Nothing where nothing is
 * given; a level without a name where what is given is not known.
 */
export function levelOf(value: Value | undefined): Pick<TransactionOptions, "level"> {
  if (value === undefined || value.kind === "undefined") return {};
  const name = value.kind === "handle" ? value.path.split(".").at(-1) : constantText(value);
  return { level: (name ?? "").replaceAll("_", " ") };
}
