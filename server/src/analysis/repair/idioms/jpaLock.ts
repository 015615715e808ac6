// Locking reads of JPA, Hibernate and Spring Data: a mode beside the key, a mode of the query, or a method of the repository
// that locks, beside the one that others go on to use.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { FileId } from "../../../protocol/source";
import type { TextEdit } from "../candidate";
import type { Site, Workshop } from "../workshop";
import { importConflict, javaImports, persistencePackage } from "./javaImports";
import { typeOfName, type JavaType } from "./javaTypes";
import { refusal, type EditOutcome } from "./sourceForms";
import { pathTo } from "./syntax";

/** The edits, or why there are none; undefined where the read is none of these libraries'. */
export function lockingJpa(
  workshop: Workshop,
  tree: CodeTree,
  site: Site,
): EditOutcome | undefined {
  const { text } = tree;
  const call = callsAround(tree, site).find((each) => READS.test(nameOf(tree, each)));
  if (!call) return undefined;
  const [object, given] = [childOf(call, "object"), childOf(call, "arguments")];
  if (!object || !given) return undefined;
  const name = nameOf(tree, call);
  const values = namedChildren(given);
  const edits = (...own: readonly TextEdit[]): EditOutcome => ({ ok: true, edits: own });
  const imports = (): readonly TextEdit[] =>
    javaImports(tree, site.file, [`${persistencePackage(text)}.LockModeType`]);
  if (values[0]?.type === "class_literal") {
    if (name !== "find") return refusal(`${name} takes no mode of a lock`);
    const last = values.at(-1);
    if (values.length !== 2 || !last) return refusal("its options are not followed");
    return edits(inserted(site.file, last.end, `, ${MODE}`), ...imports());
  }
  if (ENDS.test(name) && /\.createQuery\(/u.test(text.slice(object.start, object.end)))
    return edits(inserted(site.file, object.end, `.setLockMode(${MODE})`), ...imports());
  const repository = typeOfName(workshop, tree, site.file, text.slice(object.start, object.end));
  if (!repository || repository.declaration.type !== "interface_declaration") return undefined;
  return ofRepository(workshop, tree, { site, call, repository });
}

const MODE = "LockModeType.PESSIMISTIC_WRITE";
const READS = /^(?:find|get|read|query|search|list)\w*$/u;
const ENDS = /^(?:get(?:Single)?Result\w*|list)$/u;

interface RepositoryCall {
  readonly site: Site;
  readonly call: SyntaxNode;
  readonly repository: JavaType;
}

/** `findByName` becomes `findWithLockByName`, a method of the repository like it, with a lock. */
function ofRepository(
  workshop: Workshop,
  tree: CodeTree,
  { site, call, repository }: RepositoryCall,
): EditOutcome {
  const own = repository.tree;
  const name = childOf(call, "name");
  const body = childOf(repository.declaration, "body");
  if (!name || !body) return refusal("its repository has no body");
  const called = nameOf(tree, call);
  // How many rows it gives is a part of the name; what stands behind that, up to By, means nothing.
  const [subject = "", by] = called.split(/(By[A-Z]\w*)/u);
  const first =
    /^(?:find|get|read|query|search)((?:Distinct)?(?:First\d*|Top\d*)?)/u.exec(subject)?.[1] ?? "";
  if (by === undefined) return refusal(`${called} has no part beside which a lock is named`);
  const locking = `find${first}WithLock${by}`;
  const declared = namedChildren(body).find(
    (each) => each.type === "method_declaration" && nameOf(own, each) === called,
  );
  const signature = declared ? copied(own, declared, locking) : ofKey(own, repository, by, locking);
  if (signature === undefined) return refusal(`${called} is declared where it is not followed`);
  const edits: TextEdit[] = [
    { file: site.file, start: name.start, end: name.end, newText: locking },
  ];
  const model = workshop.files.find(({ text }) => /\b(?:jakarta|javax)\.persistence\./u.test(text));
  const names = [
    `${persistencePackage(model?.text ?? "")}.LockModeType`,
    "org.springframework.data.jpa.repository.Lock",
    ...(declared ? [] : ["java.util.Optional"]),
  ];
  const conflict = importConflict(own, names);
  if (conflict !== undefined) return refusal(conflict);
  const isThere = namedChildren(body).some(
    (each) => each.type === "method_declaration" && nameOf(own, each) === locking,
  );
  if (!isThere) {
    const lines = [`@Lock(${MODE})`, ...signature].map((line) => `\n  ${line}`).join("");
    const close = body.end - 1;
    const before = own.text.slice(body.start + 1, close).trimEnd();
    const at = body.start + 1 + before.length;
    edits.push(
      {
        file: repository.file,
        start: at,
        end: close,
        newText: `${before === "" ? "" : "\n"}${lines}\n`,
      },
      ...javaImports(own, repository.file, names),
    );
  }
  return { ok: true, edits };
}

/** The lines of a method like a declared one, under another name. */
function copied(tree: CodeTree, method: SyntaxNode, name: string): readonly string[] | undefined {
  const own = childOf(method, "name");
  const modifiers = method.children.find(({ type }) => type === "modifiers");
  if (!own || /@(?:Lock|Modifying)\b/u.test(tree.text.slice(method.start, own.start)))
    return undefined;
  const annotations = (modifiers ? namedChildren(modifiers) : []).map(({ start, end }) =>
    tree.text.slice(start, end),
  );
  const type = childOf(method, "type");
  if (!type) return undefined;
  const rest = tree.text.slice(own.end, method.end);
  return [...annotations, `${tree.text.slice(type.start, type.end)} ${name}${rest}`];
}

/** `Optional<Product> findWithLockById(Long id);` */
function ofKey(
  { text }: CodeTree,
  { declaration }: JavaType,
  by: string,
  name: string,
): readonly string[] | undefined {
  if (by !== "ById") return undefined;
  const above = declaration.children.find(({ type }) => type === "extends_interfaces");
  const [, entity, key] =
    /<\s*([\w.]+)\s*,\s*([\w.]+)\s*>/u.exec(above ? text.slice(above.start, above.end) : "") ?? [];
  return entity === undefined || key === undefined
    ? undefined
    : [`Optional<${entity}> ${name}(${key} id);`];
}

/** The calls around a place, innermost first, that begin or end where it does. */
function callsAround({ root }: CodeTree, { start, end }: Site): readonly SyntaxNode[] {
  return pathTo(root, start, end)
    .filter((node) => node.type === "method_invocation")
    .reverse();
}

function nameOf({ text }: CodeTree, node: SyntaxNode): string {
  const name = childOf(node, "name");
  return name ? text.slice(name.start, name.end) : "";
}

function inserted(file: FileId, at: number, newText: string): TextEdit {
  return { file, start: at, end: at, newText };
}
