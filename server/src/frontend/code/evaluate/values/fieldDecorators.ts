// Facts that decorators state of fields and parameters: that callers may leave them out, or give null.
import { alternativesOf, isNull, typeTree } from "../../typeTree";
import type { HirAnnotation, HirClass, HirExpression, HirField } from "../../hir";

/** Values that may be given for something besides those of its type. */
interface Lacks {
  readonly mayLack: boolean;
  readonly mayBeNull: boolean;
}

const ALWAYS: Lacks = { mayLack: false, mayBeNull: false };

/** The parts that the decorators of a field or a parameter let callers leave out. Linear in their arguments. */
export function lacksOf(annotations: readonly HirAnnotation[]): Lacks {
  return annotations.map(lacksOfOne).find((each) => each !== ALWAYS) ?? ALWAYS;
}

function lacksOfOne({ name, arguments: given }: HirAnnotation): Lacks {
  const says = (key: string, value: RegExp): boolean =>
    given.some((each) => value.test(constantIn(each, key) ?? ""));
  switch (name) {
    // class-validator looks at nothing else then.
    case "IsOptional":
      return { mayLack: true, mayBeNull: true };
    case "ApiPropertyOptional":
      return { mayLack: true, mayBeNull: says("nullable", /^true$/u) };
    case "ApiProperty":
      return says("required", /^false$/u) ? { mayLack: true, mayBeNull: false } : ALWAYS;
    case "Field":
    case "Arg":
    case "Args":
      return says("nullable", /^(?:true|itemsAndList)$/u)
        ? { mayLack: !given.some(hasDefault), mayBeNull: true }
        : ALWAYS;
    default:
      return ALWAYS;
  }
}

function hasDefault(argument: HirExpression): boolean {
  const value = entryOf(argument, "defaultValue");
  const isNothing = value?.kind === "name" && value.name === "undefined";
  return (
    value !== undefined && !isNothing && !(value.kind === "literal" && value.value === undefined)
  );
}

/** The type of something with null among it where its decorators say so. */
export function withNull(type: string, { mayBeNull }: Lacks): string {
  return mayBeNull && !alternativesOf(typeTree(type)).some(isNull) ? `${type} | null` : type;
}

/**
 * The fields of a class as a type. What it extends is a part of it: another class, or what NestJS's functions make of
 * one (`PartialType(Created)`).
 */
export function typeOfFields({ fields, superclass }: HirClass): string {
  const members = fields.flatMap((field) => (field.isStatic ? [] : memberText(field)));
  const own = `{ ${members.join("; ")} }`;
  const others = superclass === undefined ? undefined : typeOfMade(superclass);
  return others === undefined ? own : `${own} & ${others}`;
}

function memberText({ name, type, isOptional, annotations }: HirField): readonly string[] {
  if (type === undefined) return [];
  const lacks = lacksOf(annotations);
  const mark = isOptional === true || lacks.mayLack ? "?" : "";
  return [`${name}${mark}: ${withNull(type, lacks)}`];
}

function typeOfMade(superclass: string): string | undefined {
  const [, maker, first, rest] = /^(\w+)\(\s*([\w.]+)\s*(?:,(.*))?\)$/su.exec(superclass) ?? [];
  if (first === undefined) return /^\w+$/u.test(superclass) ? superclass : undefined;
  const names = [...(rest ?? "").matchAll(/["'](\w+)["']/gu)].map(([, name = ""]) => `"${name}"`);
  switch (maker) {
    case "PartialType":
      return `Partial<${first}>`;
    case "OmitType":
      return `Omit<${first}, ${names.join(" | ")}>`;
    case "PickType":
      return `Pick<${first}, ${names.join(" | ")}>`;
    case "IntersectionType":
      return [first, ...(rest ?? "").split(",").map((each) => each.trim())].join(" & ");
    default:
      return undefined;
  }
}

function entryOf(argument: HirExpression, name: string): HirExpression | undefined {
  if (argument.kind !== "object") return undefined;
  const found = argument.entries.find((each) => each.kind === "property" && each.key === name);
  return found?.value;
}

function constantIn(argument: HirExpression, name: string): string | undefined {
  const value = entryOf(argument, name);
  if (value?.kind === "literal") return String(value.value);
  return value?.kind === "text" ? value.runs.map(({ text }) => text).join("") : undefined;
}
