// MyBatis: interfaces whose methods carry their statements as annotations, or have them in XML files by the interface's
// name. Scripts in annotations and texts with `${...}` that are not known are put together when they run.
import type { HirAnnotation, HirFunction, HirMethod } from "../../../hir";
import {
  constantText,
  textOf,
  UNDEFINED,
  unknown,
  type TextPart,
  type Value,
} from "../../../values";
import type { Call, ClassValue, Library, SqlOutcome, Tools } from "../../library";
import { withKeys } from "../jdbc";
import { rowsOf } from "../resultSet";
import { SPRING_CONNECTION } from "../springTransactions";
import { firstColumn } from "../springTemplates";
import { memberAt, sqlOf, type SqlPiece } from "./dynamicSql";
import { resultMapping, type MapperFiles, type ResultMapping } from "./mapperFiles";
import { mappedCall, mappedRows } from "./mappedRows";
import { elementsIn, type XmlElement } from "./xml";

/** MyBatis with these mapper files. */
export function mybatis(files: MapperFiles): Library {
  const statementOf = (declared: ClassValue, name: string, tools: Tools): Mapped | undefined => {
    const namespace = fullName(declared, tools);
    const element = files.get(namespace)?.statements.get(name);
    return element && { files, namespace, element };
  };
  return {
    name: "mybatis",
    modules: ["org.apache.ibatis.annotations"],
    implemented: (declared, tools) => {
      const isMapper =
        files.has(fullName(declared, tools)) ||
        declared.class.methods.some(({ function: { annotations } }) =>
          annotations.some(({ name }) => STATEMENTS.test(name)),
        );
      return isMapper ? tools.handle("Mapper", declared, SPRING_CONNECTION) : undefined;
    },
    rowCall: (row, method, call, tools) => mappedCall(row, method, call, tools),
    call: (handle, call, tools) => {
      const [, name] = /^Mapper\.(\w+)$/u.exec(handle.path) ?? [];
      // Only `implemented` makes such handles.
      const declared = handle.data as ClassValue | undefined;
      const count = call.arguments.length;
      const method = declared?.class.methods.find(
        (each) => each.name === name && each.function.parameters.length === count,
      );
      if (!declared || !method) return undefined;
      if (method.isAbstract !== true) {
        const { scope } = declared;
        const callee: Value = { kind: "function", function: method.function, scope, self: handle };
        return tools.call(callee, call.arguments, call.source);
      }
      const annotation = method.function.annotations.find((each) => STATEMENTS.test(each.name));
      if (annotation) return run({ declared, method, annotation, call, tools });
      const mapped = statementOf(declared, method.name, tools);
      return mapped && runMapped({ declared, method, call, tools }, mapped);
    },
  };
}

/** MyBatis without files. */
export const MYBATIS = mybatis(new Map());

function fullName({ class: { name = "" }, scope }: ClassValue, tools: Tools): string {
  const of = tools.module(scope.module.file)?.package;
  return of === undefined ? name : `${of}.${name}`;
}

/** A statement of a mapper file. */
interface Mapped {
  readonly files: MapperFiles;
  readonly namespace: string;
  readonly element: XmlElement;
}

/** Runs a statement of a mapper file. */
function runMapped(of: Omit<Running, "annotation">, { files, namespace, element }: Mapped): Value {
  const { method, call, tools } = of;
  const { source } = call;
  const values = new Map<string, Value>();
  const lookup = (path: string): Value => {
    const known = values.get(path) ?? argument(method.function, call, path, tools);
    values.set(path, known);
    return known;
  };
  const tell = (reason: string): void => {
    tools.lose(reason, source);
  };
  const putting = { files, namespace, lookup, tools, tell, depth: 0 };
  const { attributes } = element;
  const before = keyStatement(element, "BEFORE");
  if (before) keepFirst(before, sqlOf(before, putting), call, tools);
  const piece = sqlOf(element, putting);
  const keys = attributes.get("useGeneratedKeys") === "true" ? attributes.get("keyProperty") : undefined; // prettier-ignore
  const text = piece
    ? textOf(piece.text)
    : unknown("a statement that is put together when it runs");
  const sql = keys === undefined ? text : withKeys(text, tools);
  const outcome = tools.sql(SPRING_CONNECTION, sql, { positional: piece?.values ?? [] }, source);
  const after = keyStatement(element, "AFTER");
  if (after) {
    const property = after.attributes.get("keyProperty");
    if (property !== undefined && outcome.insertId)
      tools.assign(call.arguments[0] ?? UNDEFINED, property, outcome.insertId); // prettier-ignore
    else keepFirst(after, sqlOf(after, putting), call, tools);
  }
  if (element.name !== "select") {
    if (keys !== undefined) keepKey(call, keys, outcome, tools);
    return outcome.count;
  }
  const { returns = "" } = method.function;
  const name = attributes.get("resultMap");
  const mapping = name === undefined ? undefined : resultMapping(files, namespace, name);
  if (mapping?.others === "statements") {
    tools.lose("the statements that a result map runs are not followed", source, "opaque");
  } else if (mapping?.others === "columns") {
    tools.lose("the objects within objects of a result map are not followed", source);
  }
  return selected(returns, rowsFor(of, outcome, mapping), call, tools);
}

/** A key that a statement of its own gives, before or behind the INSERT. */
function keyStatement(element: XmlElement, order: "BEFORE" | "AFTER"): XmlElement | undefined {
  return elementsIn(element).find(
    ({ name, attributes }) => name === "selectKey" && (attributes.get("order") ?? "AFTER").toUpperCase() === order, // prettier-ignore
  );
}

function keepFirst(
  { attributes }: XmlElement,
  piece: SqlPiece | undefined,
  call: Call,
  tools: Tools,
): void {
  const text = piece
    ? textOf(piece.text)
    : unknown("a statement that is put together when it runs");
  const outcome = tools.sql(SPRING_CONNECTION, text, { positional: piece?.values ?? [] }, call.source); // prettier-ignore
  const property = attributes.get("keyProperty");
  if (property === undefined || !outcome.rows) return;
  tools.assign(call.arguments[0] ?? UNDEFINED, property, firstColumn(tools.firstRow(outcome.rows), tools)); // prettier-ignore
}

/** The value of a name in a mapper file; a list alone is called `list`, too. */
function argument(function_: HirFunction, call: Call, path: string, tools: Tools): Value {
  const [first = "", ...rest] = path.split(".");
  const [only, ...others] = call.arguments;
  const isAlone = only !== undefined && others.length === 0;
  if (
    isAlone &&
    /^(?:list|collection|array|_parameter)$/u.test(first) &&
    !isNamed(function_, first)
  )
    // prettier-ignore
    return rest.length === 0 ? only : memberAt(only, rest.join("."), tools);
  return parameter(function_, call, path, tools);
}

function isNamed({ parameters }: HirFunction, name: string): boolean {
  return parameters.some(({ pattern, annotations }) => {
    const said = annotations.find((each) => each.name === "Param")?.arguments[0];
    if (said?.kind === "text") return said.runs.map(({ text }) => text).join("") === name;
    return pattern.kind === "bind" && pattern.name === name;
  });
}

/** The rows of a result, with the class that they become. */
function rowsFor(
  { declared, method }: Omit<Running, "annotation">,
  outcome: SqlOutcome,
  mapping?: ResultMapping,
): Value {
  const rows = rowsOf(outcome);
  const { returns = "" } = method.function;
  const name = /[\w.]+$/u.exec(returns.replace(/[\s>[\]]+$/u, ""))?.[0] ?? "";
  const of = declared.scope.module.lookup(name);
  return mappedRows(rows, of?.kind === "class" ? of : undefined, mapping?.columns);
}

const STATEMENTS = /^(?:Select|Insert|Update|Delete)$/u;

interface Running {
  readonly declared: ClassValue;
  readonly method: HirMethod;
  readonly annotation: HirAnnotation;
  readonly call: Call;
  readonly tools: Tools;
}

function run(of: Running): Value {
  const { method, annotation, call, tools } = of;
  const { annotations, returns = "" } = method.function;
  const names: string[] = [];
  const text = textOfAnnotation(of, names);
  const keys = optionOf(annotations, "keyProperty");
  const sql = keys === undefined ? text : withKeys(text, tools);
  const positional = names.map((name) => parameter(method.function, call, name, tools));
  const outcome = tools.sql(SPRING_CONNECTION, sql, { positional }, call.source);
  if (annotations.some(({ name }) => name === "SelectKey")) {
    tools.lose("the statement of a SelectKey is not followed", call.source, "opaque");
  }
  if (annotation.name !== "Select") {
    if (keys !== undefined) keepKey(call, keys, outcome, tools);
    return outcome.count;
  }
  return selected(returns, rowsFor(of, outcome), call, tools);
}

/** The text with `?` for each `#{name}`, whose names are added. */
function textOfAnnotation({ annotation, declared, tools }: Running, names: string[]): Value {
  const [given] = annotation.arguments;
  const whole = given && tools.evaluate(given, declared.scope);
  const lines = whole && (tools.items(whole) ?? [whole]);
  const parts = (lines ?? []).flatMap((line, at): readonly TextPart[] => {
    if (line.kind !== "text") return [{ kind: "hole", value: line }];
    const space = textOf(" ");
    return [...(at > 0 && space.kind === "text" ? space.parts : []), ...line.parts];
  });
  const plain = constantText({ kind: "text", parts });
  if (plain === undefined || /^\s*<script>|\$\{/u.test(plain)) {
    return unknown("a statement that is put together when it runs");
  }
  return { kind: "text", parts: parts.flatMap((part) => withPlaceholders(part, names)) };
}

function withPlaceholders(part: TextPart, names: string[]): readonly TextPart[] {
  if (part.kind !== "run" || !part.run.text.includes("#{")) return [part];
  const { text, start } = part.run;
  const isPlaced = start >= 0 && part.run.length === undefined;
  let from = start;
  return text.split(/(#\{[^}]*\})/u).map((piece): TextPart => {
    const at = isPlaced ? from : -1;
    from += piece.length;
    const name = /^#\{\s*([\w.]+)/u.exec(piece)?.[1];
    if (name === undefined) return { ...part, run: { text: piece, start: at } };
    names.push(name);
    return { ...part, run: { text: "?", start: at, length: piece.length } };
  });
}

/** The value of a name: of a parameter that is called so, or of the properties of the only one. */
function parameter(
  { parameters }: HirFunction,
  { arguments: given }: Call,
  name: string,
  tools: Tools,
): Value {
  const [first = "", ...rest] = name.split(".");
  const at = parameters.findIndex(({ pattern, annotations }, position) => {
    const said = annotations.find((each) => each.name === "Param")?.arguments[0];
    if (said?.kind === "text") return said.runs.map(({ text }) => text).join("") === first;
    return (pattern.kind === "bind" && pattern.name === first) || first === `param${String(position + 1)}`; // prettier-ignore
  });
  const [only] = given;
  const isPlain = only !== undefined && (only.kind === "scalar" || only.kind === "text");
  if (at === -1 && given.length === 1 && isPlain) return only;
  const root = at === -1 && given.length === 1 ? only : given[at];
  if (root === undefined) return unknown(`${name} is no parameter of the statement`);
  return (at === -1 ? [first, ...rest] : rest).reduce(
    (value, property) => tools.member(value, property),
    root,
  );
}

/** Result of a method of the rows, by its type. */
function selected(returns: string, rows: Value, { source }: Call, tools: Tools): Value {
  const [, inner] = /^(?:[\w.]+\.)?Optional<(.*)>$/su.exec(returns) ?? [];
  if (inner !== undefined) {
    const value = oneOf(inner, rows, tools);
    return tools.call({ kind: "builtin", name: "Optional.ofNullable" }, [value], source);
  }
  const [, item] = /^(?:[\w.]+\.)?(?:List|Set|Collection|Iterable|Cursor)<(.*)>$/su.exec(returns) ?? []; // prettier-ignore
  if (item === undefined && !returns.endsWith("[]")) return oneOf(returns, rows, tools);
  return SCALARS.test(item ?? "") ? unknown("a list of single values is not followed", [tools.expression(tools.firstRow(rows))]) : rows; // prettier-ignore
}

function oneOf(type: string, rows: Value, tools: Tools): Value {
  const row = tools.firstRow(rows);
  if (!SCALARS.test(type)) return row;
  if (row.kind !== "row") return firstColumn(row, tools);
  const [name] = row.columns.order;
  return name === undefined ? row : tools.field(row, name);
}

const SCALARS =
  /^(?:int|long|short|byte|boolean|double|float|(?:java\.\w+\.)?(?:Integer|Long|Short|Byte|Boolean|Double|Float|String|BigDecimal|BigInteger|UUID|LocalDate|LocalDateTime|Instant|Date|Timestamp))$/u;

/** A text among the options of a statement. */
function optionOf(annotations: readonly HirAnnotation[], name: string): string | undefined {
  const given = annotations.find((each) => each.name === "Options")?.arguments[0];
  const entry = given?.kind === "object" ? given.entries.find((each) => each.kind === "property" && each.key === name) : undefined; // prettier-ignore
  return entry?.value.kind === "text" ? entry.value.runs.map(({ text }) => text).join("") : undefined; // prettier-ignore
}

/** The key that was made, in the object that was inserted. */
function keepKey(
  { arguments: [given] }: Call,
  property: string,
  outcome: SqlOutcome,
  tools: Tools,
): void {
  const key =
    outcome.insertId ?? (outcome.rows && firstColumn(tools.firstRow(outcome.rows), tools));
  tools.assign(given ?? UNDEFINED, property.split(".").at(-1) ?? property, key ?? unknown("no key was made")); // prettier-ignore
}
