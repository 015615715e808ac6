// References of a part of the code: values, types, members of its own object, modules that it asks for. Read once for
// each part, whatever its names turn out to mean.
import { ofNode } from "../../../query/nodes";
import { changedByCall, changedPlace, handedBy, markOf } from "../effects/writeTargets";
import { isFreshCall } from "../effects/freshCalls";
import type { HirExpression } from "../hir";
import { addChildren, isNode } from "../nodes";
import { databaseCall } from "../callGraph/callSites";
import { textOf } from "../textRuns";
import { isDataAccess } from "../callGraph/dataAccessNames";

export interface References {
  /** It calls something that is a database's for sure, by what is written there. */
  readonly isDirect: boolean;
  /** The calls in it, each of a kind once. */
  readonly calls: readonly WrittenCall[];
  /** How many parts of HIR it has. */
  readonly size: number;
  /** Names of values, and the most that is done with each. */
  readonly values: ReadonlyMap<string, Use>;
  readonly types: ReadonlySet<string>;
  /** Members of `this` that it names. */
  readonly own: ReadonlySet<string>;
  /** Modules that it asks for when it runs. */
  readonly modules: ReadonlySet<string>;
  /** Names that it assigns. */
  readonly assigned: ReadonlySet<string>;
  /** Fields of names that it writes or changes, as `writeTargets.ts` writes them. */
  readonly changed: ReadonlySet<string>;
  /** The arguments that its calls hand on, as `handedBy` writes them. */
  readonly handed: ReadonlySet<string>;
  /** It throws, or calls what may refuse what it is given by its name. */
  readonly throws: boolean;
  /** It calls what gives something new each time, by its name. */
  readonly makesNew: boolean;
}

/** A call in its module. */
export interface ModuleCall extends WrittenCall {
  /** It is called on a name that is imported from a package that everybody can install. */
  readonly isOfPackage: boolean;
}

/** A call as it is written. */
export interface WrittenCall {
  readonly method: string;
  /** The last name of what it is called on: `user` of `this.db.user.create()`; empty for a function's. */
  readonly object: string;
  /** That is a member of something. */
  readonly isOfMember: boolean;
  /** Kind of the first argument. A text that does not begin as SQL is none. */
  readonly first: "none" | "sql" | "text" | "record" | "function" | "other";
  /** It is awaited where it stands, or returned. */
  readonly isPromise: boolean;
}

/** The names in a part of HIR as it was first read. Linear in its size, once. */
export const namedIn = ofNode(read);

/** The uses of a value: it is asked for a member, it stands there, it or something of it is called. */
export const LOOKED_AT = 0;
export const STANDS = 1;
export const CALL_REFERENCE = 2;
export type Use = typeof LOOKED_AT | typeof STANDS | typeof CALL_REFERENCE;

function read(origin: object): References {
  const values = new Map<string, Use>();
  const types = new Set<string>();
  const own = new Set<string>();
  const modules = new Set<string>();
  const assigned = new Set<string>();
  const changed = new Set<string>();
  const handed = new Set<string>();
  const marks = new Map<unknown, string>();
  const calls = new Map<string, WrittenCall>();
  const promises = new Set<unknown>();
  let isDirect = false;
  let throws = false;
  let makesNew = false;
  let size = 0;
  // Side by side: a pair for each part would be more than all the rest.
  const parts: object[] = [origin];
  const uses: Use[] = [STANDS];
  const push = (part: unknown, use: Use): void => {
    if (!isNode(part)) return;
    parts.push(part);
    uses.push(use);
  };
  for (let part = parts.pop(); part; part = parts.pop()) {
    const use = uses.pop() ?? STANDS;
    size += 1;
    typesIn(part, types);
    isDirect ||= isOfDatabase(part);
    const kind = "kind" in part ? part.kind : undefined;
    switch (kind) {
      case "name":
        if ("name" in part && typeof part.name === "string") {
          const known = values.get(part.name);
          if (known === undefined || known < use) values.set(part.name, use);
        }
        continue;
      case "member":
      case "index":
        if ("object" in part) {
          if (isThis(part.object) && "property" in part) own.add(String(part.property));
          push(part.object, use === CALL_REFERENCE ? CALL_REFERENCE : LOOKED_AT);
          if ("index" in part) push(part.index, STANDS);
          continue;
        }
        break;
      case "call":
      case "new":
        if ("callee" in part && "arguments" in part) {
          const from = askedModule(part as Extract<HirExpression, { kind: "call" }>);
          if (from !== undefined) modules.add(from);
          const call = writtenCall(part as Extract<HirExpression, { kind: "call" }>, promises.has(part)); // prettier-ignore
          const change = changedByCall(part as Extract<HirExpression, { kind: "call" }>);
          if (change !== undefined) changed.add(change);
          for (const each of handedBy(part as Extract<HirExpression, { kind: "call" }>))
            handed.add(each);
          if (call) calls.set(JSON.stringify(call), call);
          makesNew ||= isFreshCall(part as Extract<HirExpression, { kind: "call" | "new" }>);
          throws ||= call !== undefined && REFUSES.test(call.method);
          push(part.callee, CALL_REFERENCE);
          push(part.arguments, STANDS);
          if ("body" in part) push(part.body, STANDS);
          continue;
        }
        break;
      case "template":
        if ("tag" in part) {
          push(part.tag, CALL_REFERENCE);
          if ("values" in part) push(part.values, STANDS);
          continue;
        }
        break;
      case "throw":
        throws = true;
        break;
      case "await":
        if ("operand" in part) promises.add(part.operand);
        break;
      case "return":
        if ("value" in part) promises.add(part.value);
        break;
      case "bind":
        if ("name" in part && typeof part.name === "string") assigned.add(part.name);
        break;
      case "assign":
        if ("value" in part && "target" in part) {
          marks.set(part.target, markOf(part as Extract<HirExpression, { kind: "assign" }>));
        }
        break;
      case "place":
      case "increment":
      case "unary": {
        const variable = kind === "increment" && "target" in part ? part.target : undefined;
        if (isNode(variable) && "name" in variable) assigned.add(String(variable.name));
        const place = writtenPlace(part);
        const change = place === undefined ? undefined : changedPlace(place as HirExpression); // by its kind
        if (change !== undefined) changed.add(change + (marks.get(part) ?? ""));
        break;
      }
      default:
    }
    addChildren(part, parts);
    while (uses.length < parts.length) uses.push(STANDS);
  }
  return {
    isDirect,
    calls: [...calls.values()],
    size,
    values,
    types,
    own,
    modules,
    assigned,
    changed,
    handed,
    throws,
    makesNew,
  };
}

/** The target of `place = ...`, `place++` and `delete place`. */
function writtenPlace(part: object): unknown {
  if ("place" in part) return part.place;
  if ("target" in part) return part.target;
  return "operator" in part && part.operator === "delete" && "operand" in part ? part.operand : undefined; // prettier-ignore
}

/** Functions that throw where they are given what they do not want. */
const REFUSES =
  /^(?:parse(?:Async)?|validate(?:Sync)?|cast|invariant|assert\w*|check\w*|ensure\w*|require[A-Z]\w*)$/u;

function isThis(part: unknown): boolean {
  return isNode(part) && "kind" in part && (part.kind === "this" || part.kind === "super");
}

/** Texts of a node that are types. */
const TYPES = ["type", "returns", "superclass"] as const;
const LISTS_OF_TYPES = ["typeArguments", "interfaces"] as const;

function typesIn(part: object, into: Set<string>): void {
  for (const key of TYPES) {
    if (key in part) addNames(part[key as keyof typeof part], into); // a key that was just asked for
  }
  for (const key of LISTS_OF_TYPES) {
    if (!(key in part)) continue;
    const list: unknown = part[key as keyof typeof part];
    if (Array.isArray(list)) for (const each of list) addNames(each, into);
  }
}

function addNames(text: unknown, into: Set<string>): void {
  if (typeof text !== "string") return;
  for (const name of namesInType(text)) into.add(name);
}

/** The names in a type as it is written. */
export function namesInType(text: string): readonly string[] {
  return text.match(/[A-Za-z_$][\w$]*/gu) ?? [];
}

function isOfDatabase(part: object): boolean {
  if ("type" in part && typeof part.type === "string" && isDataAccess(part.type)) return true;
  if ("annotations" in part && Array.isArray(part.annotations)) {
    return part.annotations.some(
      (each) => isNode(each) && "name" in each && /transactional/iu.test(String(each.name)),
    );
  }
  if (!("kind" in part)) return false;
  const isCall =
    part.kind === "template" ? "texts" in part : part.kind === "call" && "callee" in part;
  return isCall && databaseCall(part as HirExpression) !== undefined; // a node of one of these kinds
}

function writtenCall(
  { kind, callee, arguments: [argument] }: Extract<HirExpression, { kind: "call" | "new" }>,
  isPromise: boolean,
): WrittenCall | undefined {
  if (kind !== "call") return undefined;
  const first = argument ? kindOf(argument.value) : "none";
  if (callee.kind === "name")
    return { method: callee.name, object: "", isOfMember: false, first, isPromise };
  if (callee.kind !== "member") return undefined;
  const { property: method, object } = callee;
  return {
    method,
    object: lastName(object),
    isOfMember: object.kind === "member",
    first,
    isPromise,
  };
}

function kindOf(hir: HirExpression): WrittenCall["first"] {
  switch (hir.kind) {
    case "text":
      return SQL.test(textOf(hir.runs)) ? "sql" : "text";
    case "template": {
      const [first = []] = hir.texts;
      // The part in front may be in a value.
      return hir.tag || first.length === 0 || SQL.test(`${textOf(first)} `) ? "sql" : "text";
    }
    case "object":
    case "array":
    case "literal":
      return "record";
    case "function":
      return "function";
    default:
      return "other";
  }
}

/** True if a text begins as SQL does, comments in front of it left out. */
export function beginsAsSql(text: string): boolean {
  return SQL.test(text);
}

const SQL =
  /^\s*(?:(?:--[^\n]*\n|\/\*.*?\*\/)\s*)*(?:select|insert|update|delete|with|merge|replace|begin|start\s+transaction|commit|rollback|savepoint|release|lock|call|set\s+(?:session\s+)?transaction)\b/isu;

function lastName(part: object): string {
  if ("property" in part) return String(part.property);
  return "name" in part ? String(part.name) : "";
}

/** The module in `import("x")` and `require("x")`; an empty one where that is not said. Undefined for other calls. */
export function askedModule({
  callee,
  arguments: [first],
}: Extract<HirExpression, { kind: "call" }>): string | undefined {
  if (callee.kind !== "name" || (callee.name !== "import" && callee.name !== "require")) {
    return undefined;
  }
  if (first?.value.kind !== "text") return "";
  return textOf(first.value.runs);
}
