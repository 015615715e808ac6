// MyBatis' mapper files: the statements of an interface's methods, by the name of the interface, with the fragments that
// they include and the properties that columns become.
import { elementsIn, readXml, type XmlElement } from "./xml";

export interface MapperFile {
  readonly statements: ReadonlyMap<string, XmlElement>;
  readonly fragments: ReadonlyMap<string, XmlElement>;
  readonly results: ReadonlyMap<string, XmlElement>;
}

/** By namespace. */
export type MapperFiles = ReadonlyMap<string, MapperFile>;

const STATEMENTS: ReadonlySet<string> = new Set(["select", "insert", "update", "delete"]);

/** True for names of files in which mappers stand, by their paths with slashes. */
export function isMapperFile(file: string): boolean {
  return /(?:^|\/)[^/]*(?:mapper|dao|mybatis|sqlmap|repository)[^/]*(?:\/.*)?\.xml$/iu.test(file);
}

/** The mappers of all texts; several texts may be of one. A statement that stands twice is that which comes first. */
export function readMapperFiles(texts: readonly string[]): MapperFiles {
  const found = new Map<string, { readonly [part in keyof MapperFile]: Map<string, XmlElement> }>();
  for (const text of texts) {
    const root = text.includes("<mapper") ? readXml(text) : undefined;
    const namespace = root?.name === "mapper" ? root.attributes.get("namespace") : undefined;
    if (!root || namespace === undefined) continue;
    const own = found.get(namespace) ?? { statements: new Map(), fragments: new Map(), results: new Map() }; // prettier-ignore
    found.set(namespace, own);
    for (const element of elementsIn(root)) {
      const id = element.attributes.get("id");
      const part = STATEMENTS.has(element.name) ? own.statements : element.name === "sql" ? own.fragments : element.name === "resultMap" ? own.results : undefined; // prettier-ignore
      if (id !== undefined && part && !part.has(id)) part.set(id, element);
    }
  }
  return found;
}

/** A part by its name in a namespace, or by its full name. */
export function partNamed(
  files: MapperFiles,
  namespace: string,
  part: keyof MapperFile,
  name: string,
): { readonly element: XmlElement; readonly namespace: string } | undefined {
  const own = files.get(namespace)?.[part].get(name);
  if (own) return { element: own, namespace };
  const dot = name.lastIndexOf(".");
  if (dot === -1) return undefined;
  const of = name.slice(0, dot);
  const element = files.get(of)?.[part].get(name.slice(dot + 1));
  return element && { element, namespace: of };
}

/** How rows become objects: the columns of properties. */
export interface ResultMapping {
  readonly columns: ReadonlyMap<string, string>;
  /** Other parts: objects made of more columns, or of what further statements read. */
  readonly others: "none" | "columns" | "statements";
}

export function resultMapping(
  files: MapperFiles,
  namespace: string,
  name: string,
  depth = 4,
): ResultMapping {
  const found = partNamed(files, namespace, "results", name);
  if (!found || depth === 0) return { columns: new Map(), others: "columns" };
  const { element } = found;
  const above = element.attributes.get("extends");
  const inherited =
    above === undefined ? undefined : resultMapping(files, found.namespace, above, depth - 1);
  const columns = new Map(inherited?.columns);
  const parts = elementsIn(element);
  for (const { name: kind, attributes } of parts) {
    const [property, column] = [attributes.get("property"), attributes.get("column")];
    if ((kind === "id" || kind === "result") && property !== undefined && column !== undefined)
      columns.set(property, column);
  }
  const nested = parts.filter(({ name: kind }) => kind !== "id" && kind !== "result");
  const asks = nested.some(asksMore) || inherited?.others === "statements";
  const isPlain = nested.length === 0 && (inherited?.others ?? "none") === "none";
  return { columns, others: asks ? "statements" : isPlain ? "none" : "columns" };
}

/** True if a part of a result is read by a statement of its own. */
function asksMore(element: XmlElement): boolean {
  return element.attributes.has("select") || elementsIn(element).some(asksMore);
}
