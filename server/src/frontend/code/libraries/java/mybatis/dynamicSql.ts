// The text of a statement of a mapper file, put together as MyBatis does, with `?` for each parameter. A part that a
// condition may leave out is there with the condition in SQL where that means the same; elsewhere the text is not known.
import { constantScalar, constantText, constant, type Value } from "../../../values";
import type { Tools } from "../../library";
import { decide, type Decision } from "./conditions";
import { partNamed, type MapperFiles } from "./mapperFiles";
import { elementsIn, textWithin, type XmlElement, type XmlNode } from "./xml";

export interface SqlPiece {
  readonly text: string;
  readonly values: readonly Value[];
}

export interface Putting {
  readonly files: MapperFiles;
  readonly namespace: string;
  readonly lookup: (path: string) => Value;
  readonly tools: Tools;
  /** Says that something is read as if it were not there. */
  readonly tell: (reason: string) => void;
  readonly depth: number;
}

/** A part of a text: where the condition of one is not known it may be there or not. */
interface Part extends SqlPiece {
  readonly unless?: Extract<Decision, { readonly kind: "sql" }>;
}

/** Thrown where a text cannot be told before it runs. */
class NotTold extends Error {}

/** The text of a statement; undefined where it is only known when it runs. */
export function sqlOf(element: XmlElement, putting: Putting): SqlPiece | undefined {
  try {
    return whole(partsOf(element.children, putting), putting);
  } catch (problem) {
    if (problem instanceof NotTold) return undefined;
    throw problem;
  }
}

function partsOf(nodes: readonly XmlNode[], putting: Putting): readonly Part[] {
  if (putting.depth > DEEPEST) throw new NotTold();
  const inner = { ...putting, depth: putting.depth + 1 };
  return nodes.flatMap((node) => (typeof node === "string" ? [plainPart(node, putting)] : elementParts(node, inner))); // prettier-ignore
}

const DEEPEST = 16;

function elementParts(element: XmlElement, putting: Putting): readonly Part[] {
  const { name, attributes, children } = element;
  switch (name) {
    case "include": {
      const found = partNamed(putting.files, putting.namespace, "fragments", attributes.get("refid") ?? ""); // prettier-ignore
      if (!found || elementsIn(element).length > 0) throw new NotTold();
      return partsOf(found.element.children, { ...putting, namespace: found.namespace });
    }
    case "if": {
      const decision = decided(attributes.get("test"), putting);
      if (decision.kind === "known") return decision.holds ? partsOf(children, putting) : [];
      return [{ ...whole(partsOf(children, putting), putting), unless: decision }];
    }
    case "choose":
      return chosen(element, putting);
    case "where":
      return [trimmed(element, putting, { prefix: "WHERE", before: /^(?:AND|OR)\b/iu, isFilter: true })]; // prettier-ignore
    case "set":
      return [trimmed(element, putting, { prefix: "SET", after: /,\s*$/u, isSet: true })];
    case "trim":
      return [trimmed(element, putting, trimOf(attributes))];
    case "foreach":
      return [repeated(element, putting)];
    case "selectKey":
      return [];
    default:
      throw new NotTold();
  }
}

function decided(test: string | undefined, { lookup, tools }: Putting): Decision {
  const decision = test === undefined ? undefined : decide(test, lookup, tools);
  if (!decision) throw new NotTold();
  return decision;
}

function chosen(element: XmlElement, putting: Putting): readonly Part[] {
  for (const each of elementsIn(element)) {
    if (each.name === "otherwise") return partsOf(each.children, putting);
    const decision = decided(each.attributes.get("test"), putting);
    if (decision.kind !== "known") throw new NotTold();
    if (decision.holds) return partsOf(each.children, putting);
  }
  return [];
}

interface Trim {
  readonly prefix: string;
  readonly suffix?: string;
  readonly before?: RegExp;
  readonly after?: RegExp;
  /** Assignments of an UPDATE. */
  readonly isSet?: boolean;
  /** Conditions that all have to hold. */
  readonly isFilter?: boolean;
  /** Columns or values of an INSERT. */
  readonly isList?: boolean;
}

function trimOf(attributes: ReadonlyMap<string, string>): Trim {
  const [prefix, suffix] = [attributes.get("prefix") ?? "", attributes.get("suffix") ?? ""];
  const words = (name: string): string | undefined =>
    attributes.get(name)?.split("|").map((word) => word.trim().replace(/[.*+?^${}()|[\]\\/]/gu, String.raw`\$&`)).join("|"); // prettier-ignore
  const [before, after] = [words("prefixOverrides"), words("suffixOverrides")];
  return {
    prefix,
    suffix,
    ...(before !== undefined && { before: new RegExp(`^(?:${before})`, "iu") }),
    ...(after !== undefined && { after: new RegExp(`(?:${after})\\s*$`, "iu") }),
    isSet: /^set$/iu.test(prefix.trim()),
    isFilter: /^where$/iu.test(prefix.trim()),
    isList: suffix === ")",
  };
}

function trimmed({ children }: XmlElement, putting: Putting, trim: Trim): SqlPiece {
  const parts = partsOf(children, putting).filter(({ text }) => text.trim() !== "");
  const settled = parts.map((part, at): SqlPiece => {
    if (!part.unless) return part;
    if (trim.isSet === true) return assignedIf(part, part.unless);
    if (trim.isFilter === true) return filteredIf(part, part.unless, at === 0);
    // A value that is null is what a column has by default, as a rule.
    if (trim.isList === true) return part;
    throw new NotTold();
  });
  const text = settled.map((each) => each.text).join(" ").trim(); // prettier-ignore
  const values = settled.flatMap((each) => each.values);
  if (text === "") return { text: "", values };
  const inner = text
    .replace(trim.before ?? /^(?!)/u, "")
    .replace(trim.after ?? /(?!)$/u, "")
    .trim();
  return { text: ` ${trim.prefix} ${inner} ${trim.suffix ?? ""} `, values };
}

/** `col = ?` that a condition leaves out keeps what the column has. */
function assignedIf({ text, values }: Part, unless: NonNullable<Part["unless"]>): SqlPiece {
  const written = text.trim();
  const plain = written.replace(/,$/u, "");
  const comma = plain === written ? "" : ",";
  const [column = "", ...others] = plain.split("=").map((each) => each.trim());
  const given = others.join(" = ");
  if (!/^[\w.`"]+$/u.test(column) || given === "" || withoutCalls(given).includes(",")) throw new NotTold(); // prettier-ignore
  const isOwnNull = unless.text === "? IS NOT NULL" && given === "?" && unless.values[0] === values[0]; // prettier-ignore
  if (isOwnNull) return { text: `${column} = COALESCE(?, ${column})${comma}`, values };
  return {
    text: `${column} = CASE WHEN ${unless.text} THEN ${given} ELSE ${column} END${comma}`,
    values: [...unless.values, ...values],
  };
}

function withoutCalls(text: string): string {
  return text.replace(/\([^()]*\)/gu, "");
}

/** `AND col = ?` that a condition leaves out holds all the same. */
function filteredIf(
  { text, values }: Part,
  unless: NonNullable<Part["unless"]>,
  isFirst: boolean,
): SqlPiece {
  const written = text.trim();
  const and = /^AND\b/iu.exec(written)?.[0];
  const condition = written.slice(and?.length ?? 0);
  if ((and === undefined && !isFirst) || /^\s*(?:OR|ORDER|GROUP|LIMIT|HAVING|UNION)\b/iu.test(condition)) throw new NotTold(); // prettier-ignore
  return {
    text: ` AND (${negated(unless.text)} OR (${condition.trim()}))`,
    values: [...unless.values, ...values],
  };
}

function negated(text: string): string {
  return text === "? IS NOT NULL" ? "? IS NULL" : `NOT (${text})`;
}

/** Parts one behind the other, outside of lists of conditions and columns. */
function whole(parts: readonly Part[], putting: Putting): SqlPiece {
  const settled = parts.map((part, at): SqlPiece => {
    if (!part.unless) return part;
    if (/^\s*AND\b/iu.test(part.text)) return filteredIf(part, part.unless, false);
    const isLast = parts.slice(at + 1).every(({ text }) => text.trim() === "" || /^\s*LIMIT\b/iu.test(text)); // prettier-ignore
    if (/^\s*(?:LIMIT|ORDER\s+BY)\b/iu.test(part.text) && isLast) {
      if (/^\s*LIMIT\b/iu.test(part.text)) putting.tell("how many rows a page has");
      return { text: "", values: [] };
    }
    throw new NotTold();
  });
  return { text: settled.map(({ text }) => text).join(""), values: settled.flatMap(({ values }) => values) }; // prettier-ignore
}

/** Items that are known one by one, or `IN (?)` with the list. */
function repeated({ attributes, children }: XmlElement, putting: Putting): SqlPiece {
  const item = attributes.get("item") ?? "item";
  const index = attributes.get("index") ?? "index";
  const [opening = "", separator = "", closing = ""] = ["open", "separator", "close"].map((name) => attributes.get(name) ?? ""); // prettier-ignore
  const list = putting.lookup(attributes.get("collection") ?? "");
  const items = putting.tools.items(list);
  if (!items) {
    const written = textWithin({ name: "foreach", attributes, children }).trim();
    const isPlain = elementsOf(children) === 0 && new RegExp(`^#\\{\\s*${item}\\s*(?:,[^}]*)?\\}$`, "u").test(written); // prettier-ignore
    if (!isPlain || opening.trim() !== "(" || closing.trim() !== ")") throw new NotTold();
    return { text: " (?) ", values: [list] };
  }
  const pieces = items.map((value, at) =>
    whole(
      partsOf(children, {
        ...putting,
        lookup: (path) =>
          path === item
            ? value
            : path === index
              ? constant(at)
              : path.startsWith(`${item}.`)
                ? memberAt(value, path.slice(item.length + 1), putting.tools)
                : putting.lookup(path),
      }),
      putting,
    ),
  );
  if (pieces.length === 0) return { text: "", values: [] };
  const text = pieces.map((each) => each.text).join(` ${separator} `);
  return { text: ` ${opening}${text}${closing} `, values: pieces.flatMap(({ values }) => values) };
}

function elementsOf(nodes: readonly XmlNode[]): number {
  return nodes.filter((each) => typeof each !== "string").length;
}

export function memberAt(value: Value, path: string, tools: Tools): Value {
  return path.split(".").reduce((of, property) => tools.member(of, property), value);
}

/** A text with `?` for each `#{name}`, and constants for each `${name}`. */
function plainPart(text: string, { lookup }: Putting): SqlPiece {
  const values: Value[] = [];
  const put = text.replace(/([#$])\{([^}]*)\}/gu, (_whole, mark: string, inner: string) => {
    const path = /^[\w.[\]]+/u.exec(inner.trim())?.[0] ?? "";
    const value = lookup(path);
    if (mark === "#") {
      values.push(value);
      return "?";
    }
    const known = constantText(value) ?? constantScalar(value);
    if (known === undefined || known === null) throw new NotTold();
    return String(known);
  }); // prettier-ignore
  return { text: put, values };
}
