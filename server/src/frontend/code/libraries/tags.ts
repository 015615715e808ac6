// Libraries whose queries are made by tags (`sql`SELECT ...``), parts of one another: slonik, @databases.
import { constantText, textOf, UNDEFINED, type HandleValue, type Value } from "../values";
import { traverse } from "../traverse";
import { quoteIdentifier } from "./builders/draft";
import type { DriverHooks } from "./driver";
import type { Call, Tools } from "./library";
import { joinedText, splicedText } from "./splices";

export interface TagModel {
  /** Tags, by their paths (`sql.unsafe`): as templates they make a text, called they are tags again. */
  readonly tags: readonly string[];
  /** Makes a name of names: of a list of them, or of its arguments. */
  readonly identifiers: readonly string[];
  readonly joins: readonly string[];
  /** Functions that are their first argument, as a parameter. */
  readonly values: readonly string[];
}

/** The hooks of a driver whose statements are such texts. */
export function tagHooks(
  model: TagModel,
): Required<Pick<DriverHooks, "tagged" | "call" | "query">> {
  return {
    tagged: ({ path }, { text }, tools) =>
      model.tags.includes(path) ? made(splicedText(text, innerText), tools) : undefined,
    call: (handle, call, tools) => {
      const { path } = handle;
      const [first] = call.arguments;
      if (model.tags.includes(path)) return tools.handle(path);
      if (model.values.includes(path)) return first;
      if (model.identifiers.includes(path)) return identifier(call, tools);
      return model.joins.includes(path) ? joined(call, tools) : undefined;
    },
    query: (_handle, { arguments: [first = UNDEFINED] }) => ({
      text: splicedText(first, innerText),
      parameters: {},
    }),
  };
}

function identifier({ arguments: args }: Call, tools: Tools): HandleValue | undefined {
  const [first] = args;
  const names = traverse((first && tools.items(first)) ?? args, constantText);
  return (
    names &&
    made(textOf(names.map((each) => quoteIdentifier(each, tools.dialect)).join(".")), tools)
  );
}

function joined({ arguments: [list, between] }: Call, tools: Tools): HandleValue | undefined {
  const items = list && tools.items(list);
  return items && between && made(joinedText(items, between, innerText), tools);
}

/** Name of a tag's result, which no other library's handles have. */
function made(text: Value, tools: Tools): HandleValue {
  return tools.handle("text", { tagText: text });
}

function innerText(value: Value): Value | undefined {
  const data: unknown = value.kind === "handle" ? value.data : undefined;
  const isMade = typeof data === "object" && data !== null && "tagText" in data;
  // `made` alone gives handles such data.
  return isMade ? (data.tagText as Value) : undefined;
}
