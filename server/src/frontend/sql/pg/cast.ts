// Casts: exact if the value is unchanged, otherwise a loss.
import type { TypeCast } from "libpg-query";
import { TODAY } from "../currentDate";
import type { Expression, ValueType } from "../../../program/expression";
import { literal } from "../expressions";
import { constantOf, typeText } from "./ast";
import { lowerExpression } from "./recursion";
import { lose, typeIn, type Scope, type Work } from "./scope";
import { valueTypeOf } from "./valueType";

/** A cast, `x::type` and `type 'text'` alike. */
export function lowerCast(cast: TypeCast, scope: Scope, work: Work): Expression {
  const value = lowerExpression(cast.arg, scope, work);
  const name = typeText(cast.typeName);
  const target = valueTypeOf(name);
  if (value.kind === "literal") return cutOff(literalCast(value.value, name, target, work), cast);
  if (name === "date" && value.kind === "fresh" && value.why === "now") return TODAY;
  const from = typeIn(value, scope, work);
  if (name === "regclass" || name === "interval" || name.endsWith("[]")) return value;
  if (from === undefined || keeps(from, target, name, changesLength(cast, target))) return value;
  return { kind: "call", name: castName(name, cast), arguments: [value], deterministic: true };
}

/** The function name of a cast; casts with other modifiers are other functions. */
function castName(name: string, cast: TypeCast): string {
  const modifiers = (cast.typeName?.typmods ?? []).flatMap((node) =>
    "A_Const" in node ? [String(constantOf(node.A_Const))] : [],
  );
  return `cast ${name}${modifiers.length > 0 ? `(${modifiers.join(",")})` : ""}`;
}

/** True if the modifiers may change the value: numeric(10, 2) rounds, varchar(3) truncates, timestamp(0) rounds. */
function changesLength(cast: TypeCast, target: ValueType): boolean {
  const count = (cast.typeName?.typmods ?? []).length;
  return target === "decimal" ? count > 1 : count > 0;
}

/** A text that is longer than its type allows: a cast truncates it without an error. */
function cutOff(value: Expression, cast: TypeCast): Expression {
  const [size] = (cast.typeName?.typmods ?? []).flatMap((node) =>
    "A_Const" in node ? [constantOf(node.A_Const)] : [],
  );
  if (value.kind !== "literal" || value.type !== "text" || typeof size !== "number") return value;
  return literal([...String(value.value)].slice(0, size).join(""));
}

function keeps(from: ValueType, to: ValueType, name: string, changes: boolean): boolean {
  if (from === to) return (to !== "time" || name.startsWith("timestamp")) && !changes;
  // A user-defined type: an enumeration or a domain.
  if (to === "other") return from === "text";
  return from === "int" && to === "decimal";
}

function literalCast(
  value: number | string | boolean | null,
  name: string,
  target: ValueType,
  work: Work,
): Expression {
  if (value === null) return literal(null);
  switch (target) {
    case "int":
    case "decimal": {
      const number = typeof value === "boolean" ? Number(value) : Number(value);
      if (!Number.isFinite(number) || (typeof value === "string" && value.trim() === "")) {
        return lose(work, `the cast of '${String(value)}' to ${name}`, [], target);
      }
      // Casting to an integer rounds half away from zero.
      const rounded = Math.sign(number) * Math.round(Math.abs(number));
      return { kind: "literal", value: target === "int" ? rounded : number, type: target };
    }
    case "text":
      return literal(String(value));
    case "bool": {
      const text = String(value).trim().toLowerCase();
      if (/^(t|true|y|yes|on|1)$/.test(text)) return literal(true);
      if (/^(f|false|n|no|off|0)$/.test(text)) return literal(false);
      return lose(work, `the cast of '${text}' to ${name}`, [], "bool");
    }
    case "time":
      if (/^today$/i.test(String(value).trim())) return TODAY;
      if (/^(now|tomorrow|yesterday)$/i.test(String(value).trim())) {
        return { kind: "fresh", id: work.context.ids.fresh("f"), type: "time", why: "now" };
      }
      return { kind: "literal", value: String(value), type: "time" };
    case "json":
    case "bytes":
    case "other":
      return { kind: "literal", value: String(value), type: target };
    default:
      return target satisfies never;
  }
}
