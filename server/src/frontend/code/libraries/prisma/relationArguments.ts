// Which related rows an operation of the Prisma client is asked for, where the code does not spell it out.
import { isNull, type Value } from "../../values";
import type { Tools } from "../library";
import { constantOf, argumentField, isAbsent } from "./argumentValues";

/** The reason why related rows may be read that nobody can name: nothing where all are named. */
export function openParts(tools: Tools, args: Value | undefined): readonly string[] {
  const whole = isOpen(tools, args) ? ["what is asked of related rows is not known"] : [];
  const parts = ["select", "include"].filter((name) =>
    isOpen(tools, argumentField(tools, args, name)),
  );
  return [...whole, ...parts.map((name) => `what "${name}" asks for is not known`)];
}

/** True if a record may have parts that nobody can name. `true` asks for all of something's own fields. */
function isOpen(tools: Tools, asked: Value | undefined): boolean {
  if (asked === undefined || isAbsent(asked) || isNull(asked)) return false;
  if (tools.fields(asked) !== undefined) return false;
  const isFlag = asked.kind === "scalar" || (asked.kind === "input" && asked.type === "boolean");
  return !isFlag;
}

/** True if related rows are read in any case: not by a flag that is only known when it runs. */
export function isCertain(tools: Tools, asked: Value): boolean {
  return constantOf(asked) === true || tools.fields(asked) !== undefined;
}
