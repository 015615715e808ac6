// Elements, attributes and texts of an XML document, as far as mapper files need them. Never throws for bad input: what
// is not closed ends with the document. Linear.

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** The first element of a document; undefined where there is none. */
export function readXml(text: string): XmlElement | undefined {
  const root = open("", new Map());
  const path = [root];
  const add = (node: XmlNode): void => {
    path.at(-1)?.children.push(node);
  };
  const parts = new RegExp(PARTS, "gsu");
  for (let found = parts.exec(text); found; found = parts.exec(text)) {
    const { cdata, closing, opening, attributes = "", empty, plain } = found.groups ?? {};
    if (cdata !== undefined) add(cdata);
    else if (plain !== undefined) add(decoded(plain));
    else if (closing !== undefined) {
      const at = path.findLastIndex(({ name }) => name === closing);
      if (at > 0) path.length = at;
    } else if (opening !== undefined) {
      const element = open(opening, attributesIn(attributes));
      add(element);
      if (empty !== "/" && path.length < DEEPEST) path.push(element);
    }
  }
  return root.children.find((each) => typeof each !== "string");
}

const DEEPEST = 64;

/** Comments, instructions and types of documents are passed over; attributes may hold a `>`. */
const PARTS =
  "<!--.*?-->|<!\\[CDATA\\[(?<cdata>.*?)\\]\\]>|<[!?][^>]*>|</\\s*(?<closing>[\\w:.-]+)\\s*>|" +
  "<(?<opening>[\\w:.-]+)(?<attributes>(?:\\s+[\\w:.-]+\\s*=\\s*(?:\"[^\"]*\"|'[^']*'))*)\\s*(?<empty>/?)>|(?<plain>[^<]+|<)";

interface OpenElement extends XmlElement {
  readonly children: XmlNode[];
}

function open(name: string, attributes: ReadonlyMap<string, string>): OpenElement {
  return { name, attributes, children: [] };
}

function attributesIn(text: string): ReadonlyMap<string, string> {
  const all = text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gu);
  return new Map([...all].map(([, name = "", double, single]) => [name, decoded(double ?? single ?? "")])); // prettier-ignore
}

const ENTITIES = new Map(Object.entries({ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }));

function decoded(text: string): string {
  return text.replace(/&(#x?[\da-f]+|\w+);/giu, (whole, name: string) => {
    if (!name.startsWith("#")) return ENTITIES.get(name) ?? whole;
    const code = /^#x/iu.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** All text within an element. */
export function textWithin({ children }: XmlElement): string {
  return children.map((each) => (typeof each === "string" ? each : textWithin(each))).join("");
}

export function elementsIn({ children }: XmlElement): readonly XmlElement[] {
  return children.flatMap((each) => (typeof each === "string" ? [] : [each]));
}
