// A version of its own for an entity: the library counts it up with each change that it writes, and refuses the change of a
// row whose version is another by then. JPA, MikroORM and Sequelize do; TypeORM counts, but refuses nothing.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import { codeLanguageOf } from "../../../frontend/code/workspace/codeParsers";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";
import type { ReadSite } from "../pairs";
import type { Workshop } from "../workshop";
import { mikroOrmOf } from "./imports";
import { indentAt } from "./indentation";
import { importConflict, javaImports, persistencePackage } from "./javaImports";
import { namedType, typeOfName, type JavaType } from "./javaTypes";
import { nameText } from "./lockRow";
import { schemaChange } from "./schemaChange";
import { argumentsOf, chainAround, nodesIn, pathTo, propertyOf } from "./syntax";

/** The edits, or why there are none; undefined where what is read is no entity of a library that checks versions. */
export function entityVersion(
  workshop: Workshop,
  table: Table,
  read: ReadSite,
): readonly TextEdit[] | string | undefined {
  const tree = workshop.treeOf(read.file);
  if (!tree) return undefined;
  const own =
    tree.language === "java" ? ofJpa(workshop, tree, read) : ofModel(workshop, tree, read);
  if (own === undefined || typeof own === "string") return own;
  if (table.columns.some(({ name }) => name === COLUMN))
    return `${table.name} has a column of that name already`;
  if (!table.source || !/\.sql$/iu.test(table.source.file)) return own;
  const named = nameText(workshop, table.name);
  const schema = schemaChange(workshop, table, {
    name: `add_${table.name.replaceAll(".", "_")}_${COLUMN}`,
    statement: `ALTER TABLE ${named} ADD COLUMN ${COLUMN} integer NOT NULL DEFAULT 0;`,
    undo: `ALTER TABLE ${named} DROP COLUMN ${COLUMN};`,
  });
  return schema ? [...own, ...schema] : "its table is declared where no edit is written";
}

const COLUMN = "version";

/** `@Version private int version;` behind the last field of the entity. */
function ofJpa(
  workshop: Workshop,
  tree: CodeTree,
  read: ReadSite,
): readonly TextEdit[] | string | undefined {
  const name = entityNameIn(workshop, tree, read);
  const entity = name === undefined ? undefined : namedType(workshop, name, read.file);
  const body = entity && childOf(entity.declaration, "body");
  if (!entity || !body) return undefined;
  const { text } = entity.tree;
  const fields = namedChildren(body).filter(({ type }) => type === "field_declaration");
  const last = fields.at(-1);
  if (!last || !/@Entity\b/u.test(text.slice(entity.declaration.start, body.start)))
    return undefined;
  if (fields.some(({ start, end }) => /@Version\b/u.test(text.slice(start, end))))
    return "the entity has a version already, which its change passes by";
  if (namedChildren(body).some((each) => each.type === "method_declaration" && hasId(each, text)))
    return "its columns are mapped at its getters, where a version needs a getter, too";
  const names = [`${persistencePackage(text)}.Version`];
  const conflict = importConflict(entity.tree, names) ?? versionAbove(workshop, entity);
  if (conflict !== undefined) return conflict;
  if (
    /@(?:lombok\.)?(?:AllArgsConstructor|Value)\b/u.test(
      text.slice(entity.declaration.start, body.start),
    )
  )
    return "its constructor of all fields, which Lombok makes, would ask for the version";
  const { indent, gap } = spacing(text, last);
  const field = `${gap}${indent}@Version\n${indent}private int ${COLUMN};`;
  return [
    { file: entity.file, start: last.end, end: last.end, newText: field },
    ...javaImports(entity.tree, entity.file, names),
  ];
}

/** The reason against a version of an entity's own: a class that it extends has one, or may have. */
function versionAbove(
  workshop: Workshop,
  { tree, declaration, file }: JavaType,
): string | undefined {
  const above = childOf(declaration, "superclass");
  const [type] = above ? namedChildren(above) : [];
  if (!type) return undefined;
  const name = tree.text.slice(type.start, type.end).replace(/<[^]*$/u, "");
  const parent = namedType(workshop, name, file);
  if (!parent) return `${name}, which it extends, may have a version already`;
  const { start, end } = parent.declaration;
  return /@Version\b/u.test(parent.tree.text.slice(start, end))
    ? `${name}, which it extends, has a version already`
    : versionAbove(workshop, parent);
}

/** True if JPA's key is declared at a member: there all columns of the entity are mapped alike. */
function hasId({ start, end }: SyntaxNode, text: string): boolean {
  return /@(?:Embedded)?Id\b/u.test(text.slice(start, end));
}

/** The entity that a call reads: `em.find(Account.class, id)`, or what its repository is of. */
function entityNameIn(workshop: Workshop, tree: CodeTree, read: ReadSite): string | undefined {
  const { root, text } = tree;
  for (const node of [...pathTo(root, read.start, read.end)].reverse()) {
    if (node.type !== "method_invocation") continue;
    const [object, given] = [childOf(node, "object"), childOf(node, "arguments")];
    const first = given && namedChildren(given)[0];
    if (first?.type === "class_literal")
      return text.slice(first.start, first.end).replace(/\.class$/u, "");
    const repository =
      object && typeOfName(workshop, tree, read.file, text.slice(object.start, object.end));
    if (!repository) continue;
    const { declaration } = repository;
    const above = declaration.children.find(({ type }) => type === "extends_interfaces");
    const of = above ? repository.tree.text.slice(above.start, above.end) : "";
    return /<\s*(\w+)\s*,/u.exec(of)?.[1];
  }
  return undefined;
}

/** A property of an entity of MikroORM, or an option of a model of Sequelize. */
function ofModel(
  workshop: Workshop,
  tree: CodeTree,
  read: ReadSite,
): readonly TextEdit[] | string | undefined {
  const link = chainAround(tree.root, tree.text, read.start, read.end).at(-1);
  const called = link && childOf(link.call, "function");
  const object = called && childOf(called, "object");
  if (!link || !object) return undefined;
  const receiver = tree.text.slice(object.start, object.end);
  const [first] = argumentsOf(link);
  const named = first?.type === "identifier" ? tree.text.slice(first.start, first.end) : undefined;
  if (mikroOrmOf(tree.text) !== undefined)
    return named === undefined ? undefined : ofMikroOrm(workshop, named);
  return /^[A-Z]\w*$/u.test(receiver) ? ofSequelize(workshop, receiver) : undefined;
}

function ofMikroOrm(workshop: Workshop, name: string): readonly TextEdit[] | undefined {
  return onlyOne(workshop, new RegExp(`\\bclass\\s+${name}\\b`, "u"), ({ root, text }, file) => {
    const declared = nodesIn(root).find((node) => {
      const own = /^(?:abstract_)?class_declaration$/u.test(node.type) && childOf(node, "name");
      return own && text.slice(own.start, own.end) === name;
    });
    const body = declared && childOf(declared, "body");
    const fields = body ? namedChildren(body).filter(({ type }) => FIELD.test(type)) : [];
    const last = fields.findLast(({ start, end }) => /@Property\b/u.test(text.slice(start, end)));
    if (!last || mikroOrmOf(text) === undefined) return undefined;
    const { indent, gap } = spacing(text, last);
    // Whoever makes one by `em.create` would have to give every field that is not optional.
    const isMade = workshop.files.some((each) =>
      new RegExp(`\\bcreate\\(\\s*${name}\\b`, "u").test(each.text),
    );
    const at = text.charAt(last.end) === ";" ? last.end + 1 : last.end;
    const newText = `${gap}${indent}@Property({ type: "integer", version: true })\n${indent}${COLUMN}${isMade ? "?" : "!"}: number;`;
    return [{ file, start: at, end: at, newText }];
  });
}

const FIELD = /^(?:public_field_definition|field_definition)$/u;

function ofSequelize(workshop: Workshop, name: string): readonly TextEdit[] | undefined {
  const opening = new RegExp(
    `\\b${name}\\.init\\(|\\bdefine(?:<[^(]*>)?\\(\\s*["']${name}["']`,
    "u",
  );
  return onlyOne(workshop, opening, ({ root, text }, file) => {
    const found = opening.exec(text);
    if (!found) return undefined;
    const at = found.index + found[0].length - 1;
    const call = pathTo(root, at, at + 1).findLast(({ type }) => type === "call_expression");
    const given = call && childOf(call, "arguments");
    const options = given && namedChildren(given).at(-1);
    if (options?.type !== "object" || propertyOf(options, text, COLUMN)) return undefined;
    const last = namedChildren(options).at(-1);
    if (!last || !/\bsequelize\b/u.test(text)) return undefined;
    const isInLines = text.slice(last.end, options.end).includes("\n");
    const { indent } = spacing(text, last);
    const newText = isInLines ? `,\n${indent}version: true` : ", version: true";
    return [{ file, start: last.end, end: last.end, newText }];
  });
}

/** The edits of the only file of code whose text has this in it. */
function onlyOne(
  workshop: Workshop,
  pattern: RegExp,
  edit: (tree: CodeTree, file: FileId) => readonly TextEdit[] | undefined,
): readonly TextEdit[] | undefined {
  const [only, ...others] = workshop.files.filter(
    ({ file, text }) => codeLanguageOf(file) !== undefined && pattern.test(text),
  );
  const tree = only && others.length === 0 ? workshop.treeOf(only.file) : undefined;
  return only && tree && edit(tree, only.file);
}

/** How far in the line of a node is, and what stands between it and another one like it. */
function spacing(
  text: string,
  { start, end }: SyntaxNode,
): { readonly indent: string; readonly gap: string } {
  const line = text.lastIndexOf("\n", start - 1) + 1;
  const before = text.slice(0, line).trimEnd();
  const isApart = text.slice(before.length, line).split("\n").length > 2;
  return { indent: indentAt(text, start), gap: isApart && end > start ? "\n\n" : "\n" };
}
