// Replaces uninterpreted functions of arguments (the hash of a token, a normalized name) by arguments that are equal for equal inputs: a
// witness chooses their values, and the search needs no theory of them.
import type { Expression } from "../../../program/expression";
import { isEvaluatedCode } from "../../../program/functions";
import { mapParts, operandsOf } from "../../../program/operands";
import type { OutsideFunction, Parameter, Program, Transaction } from "../../../program/program";
import type { Table } from "../../../program/schema";
import { ofNodes } from "../../../query/nodes";
import { isSetting } from "../evaluate/values/settings";
import { mapSharing } from "../../sql/dialectDetection/sharedParts";
import { inferParameterTypes } from "../../sql/types";
import { walkCommand } from "../../sql/walk";

type Call = Extract<Expression, { readonly kind: "call" }>;

/** A function of arguments with its display name. */
interface Named {
  readonly name: string;
  readonly of: OutsideFunction;
}

/** Replaces such functions in a program by arguments. Linear in its transactions, once for each. */
export function withOutsideFunctions(program: Program): Program {
  const { tables } = program.schema;
  return {
    ...program,
    transactions: program.transactions.map((each) => withArguments(tables, each)),
  };
}

const withArguments = ofNodes((tables: readonly Table[], transaction: Transaction): Transaction => {
  const known = new Map<string, Named>();
  const scalars = new Set(
    transaction.parameters.filter(({ elements }) => !elements).map(({ name }) => name),
  );
  const replaced = (part: object): object => {
    const named = isCall(part) ? namedCall(part, known, scalars) : undefined;
    return named ? ({ kind: "parameter", name: named.name } satisfies Expression) : part;
  };
  const body = mapSharing(transaction.body, replaced);
  if (known.size === 0) return transaction;
  const preconditions = transaction.preconditions.map((each) => mapSharing(each, replaced));
  const used = new Set<string>();
  const collect = (expression: Expression): void => {
    if (expression.kind === "parameter") used.add(expression.name);
  };
  walkCommand(body, { expression: collect });
  const table = (name: string): Table | undefined => tables.find((each) => each.name === name);
  const types = inferParameterTypes(body, table).scalars;
  const added = [...known.values()].flatMap(({ name, of }): Parameter[] =>
    used.has(name) ? [{ name, type: types.get(name) ?? "other", origin: "argument", of }] : [],
  );
  const needed = new Set([...used, ...added.flatMap(({ of }) => of?.arguments ?? [])]);
  const stays = ({ name, elements }: Parameter): boolean =>
    elements !== undefined || needed.has(name) || preconditions.length > 0;
  const parameters = [...transaction.parameters.filter(stays), ...added];
  return { ...transaction, body, preconditions, parameters };
});

function isCall(part: object): part is Call {
  return "kind" in part && part.kind === "call" && "arguments" in part && "deterministic" in part;
}

/** The argument that stands for a call; undefined if the call is evaluated, or depends on more than arguments. */
function namedCall(
  call: Call,
  known: Map<string, Named>,
  scalars: ReadonlySet<string>,
): Named | undefined {
  const of = functionOf(call, known, scalars);
  if (!of || of.arguments.length === 0) return undefined;
  const shown = shownCall(call, of.arguments);
  const before = [...known.values()];
  const own = before.find((each) => JSON.stringify(each.of) === JSON.stringify(of));
  if (own) return own;
  const count = before.filter((each) => each.name.replace(/ \d+$/u, "") === shown).length;
  const made = { name: count === 0 ? shown : `${shown} ${String(count + 1)}`, of };
  known.set(made.name, made);
  return made;
}

/**
 * The call as people write it, with its property behind: "getSession(req, ...).user.id". The first arguments of the transaction stand for
 * all: settings, and what other calls gave, say nothing to a reader.
 */
function shownCall(call: Call, all: readonly string[]): string {
  const distinct = [...new Set(all)];
  const own = distinct.filter((name) => !isSetting(name) && !name.includes("("));
  const first = own.slice(0, MOST_SHOWN);
  const shown = [...first, ...(first.length < distinct.length ? ["..."] : [])].join(", ");
  const { property = "" } = call;
  const name = writtenName(call);
  return `${name.slice(0, name.length - property.length)}(${shown})${property}`;
}

/** Arguments of a call in its name. */
const MOST_SHOWN = 2;

function writtenName({ name }: Call): string {
  return name.slice(PREFIX.length);
}

const PREFIX = "code:";

/** Functions that are assumed to be injective, by module. */
const DIGESTS: ReadonlyMap<string, RegExp> = new Map([
  ["crypto", /^(?:createHash|createHmac|hash|update|digest)$/u],
  ["crypto-js", /^(?:Hmac)?(?:MD5|SHA\d+|RIPEMD160)$/u],
  ["md5", /^md5$/u],
  ["js-md5", /^md5$/u],
  ["js-sha1", /^sha1$/u],
  ["js-sha256", /^sha(?:224|256)$/u],
  ["js-sha512", /^sha\d+$/u],
  ["hash-wasm", /^(?:md5|sha\d+|blake\d\w*)$/u],
]);

/** True for a digest of one argument: several arguments may be combined before the digest, which loses their boundaries. */
function isDigest(call: Call, parts: readonly OutsideFunction[]): boolean {
  const name = /\w*$/u.exec(call.name)?.[0] ?? "";
  const isKnown = DIGESTS.get(call.module ?? "")?.test(name) === true;
  const [argument, ...others] = parts.filter((each) => each.arguments.length > 0);
  return isKnown && others.length === 0 && (argument === undefined || isOne(argument));
}

/** True for an argument or a digest of one. */
function isOne(part: OutsideFunction): boolean {
  return part.arguments.length === 1 && (part.function === ITSELF || part.isInjective === true);
}

const ITSELF = "·";

function functionOf(
  call: Call,
  known: ReadonlyMap<string, Named>,
  scalars: ReadonlySet<string>,
): OutsideFunction | undefined {
  const { name, arguments: args, deterministic } = call;
  if (!deterministic || !name.startsWith(PREFIX) || isEvaluatedCode(name)) return undefined;
  const parts = args.flatMap((each) => partOf(each, known, scalars) ?? []);
  if (parts.length < args.length) return undefined;
  return {
    ...(isDigest(call, parts) && { isInjective: true }),
    function: `${call.module ?? ""}:${writtenName(call)}(${parts.map((each) => each.function).join(", ")})`,
    arguments: parts.flatMap((each) => each.arguments),
  };
}

/** An argument of a function: an argument of the transaction, a constant, or a function or calculation of both. */
function partOf(
  part: Expression,
  known: ReadonlyMap<string, Named>,
  scalars: ReadonlySet<string>,
): OutsideFunction | undefined {
  if (part.kind === "literal") return { function: JSON.stringify(part.value), arguments: [] };
  if (part.kind === "call") return functionOf(part, known, scalars) ?? calculation(part, known, scalars); // prettier-ignore
  if (part.kind !== "parameter") return CALCULATIONS.has(part.kind) ? calculation(part, known, scalars) : undefined; // prettier-ignore
  const of = known.get(part.name)?.of;
  return of ?? (scalars.has(part.name) ? { function: ITSELF, arguments: [part.name] } : undefined);
}

/** A calculation with such values, as a function of theirs: `"project:" || id`. */
function calculation(
  part: Expression,
  known: ReadonlyMap<string, Named>,
  scalars: ReadonlySet<string>,
): OutsideFunction | undefined {
  if (part.kind === "call" && (!part.deterministic || part.set === true)) return undefined;
  const operands = operandsOf(part);
  const parts = operands.flatMap((each) => partOf(each, known, scalars) ?? []);
  if (parts.length < operands.length) return undefined;
  const how = JSON.stringify(mapParts(part, () => OPERAND));
  return {
    function: `${how}(${parts.map((each) => each.function).join(", ")})`,
    arguments: parts.flatMap((each) => each.arguments),
  };
}

const OPERAND: Expression = { kind: "literal", value: null, type: "other" };

const CALCULATIONS: ReadonlySet<Expression["kind"]> = new Set<Expression["kind"]>(
  ["arithmetic", "negate", "comparison", "and", "or", "not", "isNull", "sameValue", "in", "like", "conditional", "coalesce"], // prettier-ignore
);
