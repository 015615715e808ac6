// The meet of what is known of a value with its declared type. Of one of several things that the code keeps, a type tells
// that it is no function and no object of the code's own, and which collections hold nothing else.
import type { HirClass } from "../../hir";
import { isPublicPackage } from "../../callGraph/moduleReachability";
import {
  alternativesOf,
  isCollectionType,
  isNothing,
  isOfScalars,
  itemTypeOf,
  typeTree,
  type RecordType,
  type Type,
} from "../../typeTree";
import { type ModuleScope, type Scope, type Value } from "../../values";
import type { State } from "../state";
import { typeOfFields } from "./fieldDecorators";
import { typeOfName } from "./memberTypes";
import { unknownOfType } from "./subvalues";
import { isKept } from "./weakReferences";

const DEEPEST = 8;

/** A value as far as its declared type says more of it than is known. Linear in the types that it names, to a depth of eight. */
export function meetType(
  state: State,
  value: Value,
  type: string | undefined,
  { module }: Pick<Scope, "module">,
): Value {
  if (type === undefined || !MET.has(value.kind)) return value;
  const tree = typeTree(type);
  let data: Type | undefined;
  const met = (each: Value): Value => {
    if (each.kind === "choice") {
      const [then, otherwise] = [met(each.then), met(each.otherwise)];
      const isSame = then === each.then && otherwise === each.otherwise;
      return isSame ? each : { ...each, then, otherwise };
    }
    if (each.kind === "object" && each.isMap === true && !each.content) {
      const content = itemTypeOf(tree);
      return content ? { ...each, content } : each;
    }
    if (!isKept(each) || each.items) return each;
    data ??= dataType(state, tree, { module, depth: DEEPEST }) ?? tree;
    const isTold = data !== tree || isCollectionType(tree) || isOfScalars(tree);
    return isTold ? unknownOfType(data, each.why, each.dependsOn) : each;
  };
  return met(value);
}

/** Kinds of values of which a type may say more. */
const MET: ReadonlySet<Value["kind"]> = new Set<Value["kind"]>(["choice", "object", "unknown"]);

interface Place {
  readonly module: ModuleScope;
  readonly depth: number;
  /** Parameters of a type whose arguments are data. */
  readonly bound?: ReadonlySet<string>;
  /** Names that are being looked at: a type that holds itself is data where its other parts are. */
  readonly open?: ReadonlySet<string>;
}

/** The data that a type is of, without its names; undefined where it may be a function or an object of the code's own. */
function dataType(state: State, type: Type, at: Place): Type | undefined {
  if (at.depth === 0) return undefined;
  const inner = { ...at, depth: at.depth - 1 };
  const all = alternativesOf(type).filter((each) => !isNothing(each));
  if (all.length === 0) return undefined;
  if (all.every(isOfScalars)) return type;
  const [one] = all;
  if (one === undefined) return undefined;
  if (all.length > 1) {
    const parts = all.map((each) => dataType(state, each, inner));
    return parts.includes(undefined) ? undefined : DATA;
  }
  switch (one.kind) {
    case "array": {
      const of = dataType(state, one.of, inner);
      return of && { kind: "array", of, text: one.text };
    }
    case "tuple":
    case "intersection":
      return one.parts.every((part) => dataType(state, part, inner)) ? shape(one) : undefined;
    case "record":
      return isRecordOfData(state, one, inner) ? DATA : undefined;
    case "name":
      return namedData(state, one, inner);
    default:
      return undefined;
  }
}

/** Data of which nothing else is told. */
const DATA: Type = {
  kind: "record",
  members: new Map(),
  isOpen: false,
  hasMethods: false,
  text: "{}",
};

function shape(type: Type): Type {
  return type.kind === "tuple" ? { kind: "array", of: DATA, text: type.text } : DATA;
}

function isRecordOfData(
  state: State,
  { members, isOpen, hasMethods }: RecordType,
  at: Place,
): boolean {
  if (isOpen || hasMethods) return false;
  return [...members.values()].every(({ type }) => isNothing(type) || dataType(state, type, at));
}

type Named = Extract<Type, { kind: "name" }>;

function namedData(state: State, type: Named, at: Place): Type | undefined {
  const { name, arguments: args } = type;
  const [first = name] = name.split(".");
  if (at.bound?.has(name)) return DATA;
  const of = args.map((each) => dataType(state, each, at));
  if (COLLECTIONS.has(name)) {
    const item = of.at(-1);
    return item && { ...type, arguments: [...args.slice(0, -1), item] };
  }
  const { module } = at;
  const declared = module.lookup(first);
  if (declared === undefined && PROMISES.has(name)) return of[0];
  if (declared === undefined && GLOBALS.has(name)) return DATA;
  if (declared === undefined && OF_ARGUMENT.has(name)) return of[0] && DATA;
  if (declared?.kind === "class") return isPlainClass(state, declared.class, { ...at, module: declared.scope.module }) ? DATA : undefined; // prettier-ignore
  const meant = first === name ? typeOfName(state, module, name) : undefined;
  if (meant) {
    const { parameters = [] } = meant;
    if (parameters.length > 0 && (of.length === 0 || of.includes(undefined))) return undefined;
    const key = `${meant.module.file} ${meant.text}`;
    if (at.open?.has(key)) return DATA;
    const open = new Set([...(at.open ?? []), key]);
    return dataType(state, typeTree(meant.text), { ...at, module: meant.module, bound: new Set(parameters), open }); // prettier-ignore
  }
  return isOfPackage(state, module, first) ? DATA : undefined;
}

/** Collections of the language with the type of what they hold as the last argument. */
const COLLECTIONS: ReadonlySet<string> = new Set("Array ReadonlyArray Map ReadonlyMap Set ReadonlySet".split(" ")); // prettier-ignore

const PROMISES: ReadonlySet<string> = new Set(["Promise", "PromiseLike", "Awaited"]);

/** Types of the language's own that hold nothing of the code's. */
const GLOBALS: ReadonlySet<string> = new Set("Date Buffer Error RegExp URL URLSearchParams Uint8Array ArrayBuffer Headers FormData Blob File AbortSignal AbortController".split(" ")); // prettier-ignore

/** Types that have properties of their first argument. */
const OF_ARGUMENT: ReadonlySet<string> = new Set("Partial Required Readonly Pick Omit NonNullable Exclude Extract".split(" ")); // prettier-ignore

/** True for a class with nothing but fields, which hold data. */
function isPlainClass(state: State, of: HirClass, at: Place): boolean {
  const isPlain =
    of.superclass === undefined &&
    of.methods.every(({ kind }) => kind === "constructor") &&
    of.fields.every(({ isStatic, type }) => isStatic || type !== undefined);
  return isPlain && dataType(state, typeTree(typeOfFields(of)), at) !== undefined;
}

/** True for a name that is imported from a package that everybody can install and that is no database's. */
function isOfPackage(state: State, { file }: ModuleScope, name: string): boolean {
  const { untraced } = state.workspace;
  const own = untraced.moduleOf(file)?.imports.find(({ local }) => local === name);
  if (own === undefined || untraced.resolve(file, own.from) !== undefined) return false;
  return isPublicPackage(own.from, untraced);
}
