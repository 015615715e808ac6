// MyBatis: interfaces whose methods carry their statements as annotations. Methods without one have theirs in XML, which
// is not read; scripts and texts with `${...}` are put together when they run.
import type { HirAnnotation, HirFunction, HirMethod } from "../../hir";
import { constantText, textOf, UNDEFINED, unknown, type TextPart, type Value } from "../../values";
import type { Call, ClassValue, Library, SqlOutcome, Tools } from "../library";
import { withKeys } from "./jdbc";
import { rowsOf } from "./resultSet";
import { SPRING_CONNECTION } from "./springTransactions";
import { firstColumn } from "./springTemplates";

export const MYBATIS: Library = {
  name: "mybatis",
  modules: ["org.apache.ibatis.annotations"],
  implemented: (declared, tools) => {
    const isMapper = declared.class.methods.some(({ function: { annotations } }) =>
      annotations.some(({ name }) => STATEMENTS.test(name)),
    );
    return isMapper ? tools.handle("Mapper", declared, SPRING_CONNECTION) : undefined;
  },
  call: (handle, call, tools) => {
    const [, name] = /^Mapper\.(\w+)$/u.exec(handle.path) ?? [];
    // Only `implemented` makes such handles.
    const declared = handle.data as ClassValue | undefined;
    const count = call.arguments.length;
    const method = declared?.class.methods.find(
      (each) => each.name === name && each.function.parameters.length === count,
    );
    const annotation = method?.function.annotations.find((each) => STATEMENTS.test(each.name));
    return declared && method && annotation
      ? run({ declared, method, annotation, call, tools })
      : undefined;
  },
};

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
  return selected(returns, rowsOf(outcome), call, tools);
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
