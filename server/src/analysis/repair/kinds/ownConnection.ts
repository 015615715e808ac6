// A query that forgot the connection of the transaction around it, and so runs outside: it gets that connection, as a query
// beside it writes it.
import { type CodeTree, type SyntaxNode } from "../../../frontend/code/workspace/codeParsers";
import { offsetsOf } from "../../../frontend/sql/text/lines";
import type { Candidate, Proposals, Refusal, TextEdit } from "../candidate";
import { sharedFunction } from "../idioms/columnValue";
import { connectionOf, transactionIn } from "../idioms/connection";
import { lockRead } from "../idioms/lockRead";
import { NO_SHAPE } from "../idioms/reasons";
import { argumentsOf, chainAround, literalAround, pathTo, placeOfProperty } from "../idioms/syntax";
import { isAggregate } from "../../operations/aggregatesIn";
import type { Site, Workshop } from "../workshop";

/** The queries of the anomaly's transactions on the connections of these; then the same with locks of what goes stale. */
export function ownConnections(workshop: Workshop): Proposals {
  const apart = workshop.transactions
    .flatMap(workshop.sitesOf)
    .filter((site) => isApart(workshop, site));
  if (apart.length === 0) return { candidates: [], refusals: [] };
  const refusals: Refusal[] = [];
  const edits: TextEdit[] = [];
  const locking: TextEdit[] = [];
  const withLock = new Set<string>();
  const receivers = new Map<string, string>();
  const ids = new Set(apart.map(({ statement }) => statement.id));
  for (const site of apart) {
    const written = joined(workshop, site, ids);
    if (typeof written === "string") refusals.push({ kind: "own-connection", reason: written });
    else {
      edits.push(...written.edits);
      locking.push(...(written.locking ?? written.edits));
      if (written.locking) withLock.add(site.statement.id);
      receivers.set(site.statement.id, written.receiver);
    }
  }
  if (refusals.length > 0) return { candidates: [], refusals };
  const names = [...new Set(apart.map(({ transaction }) => transaction.name))];
  const which = apart.length > 1 ? `${String(apart.length)} queries` : "the query";
  const title = `Run ${which} that left the transaction inside of it in ${names.join(" and ")}`;
  const plain: Candidate = { kind: "own-connection", title, edits, costs: [] };
  const locks = workshop.staleReads.flatMap((site) => {
    if (withLock.has(site.statement.id)) return [];
    const own = lockRead({ ...workshop, receivers }, site);
    return own.ok ? own.edits : [];
  });
  const locked: Candidate = {
    kind: "own-connection",
    title: `${title}, and lock the row`,
    edits: [...locking, ...locks],
    costs: ["others who write or lock the row wait until this transaction ends"],
  };
  return { candidates: [plain, locked], refusals };
}

/** True if the reading said that the statement runs on another connection than the transaction around it. */
function isApart({ program, textOf }: Workshop, { file, start, end }: Site): boolean {
  return program.notes.some(({ code, source }) => {
    const lines = code === "other-connection" && source?.file === file ? textOf(file) : undefined;
    if (!lines || !source) return false;
    const place = offsetsOf(lines, source.range);
    return place.start <= start && end <= place.end;
  });
}

interface Joined {
  readonly edits: readonly TextEdit[];
  /** The same with a lock, where the library takes both at one place. */
  readonly locking?: readonly TextEdit[];
  /** The name of what it is sent through then. */
  readonly receiver: string;
}

function joined(workshop: Workshop, site: Site, apart: ReadonlySet<string>): Joined | string {
  const tree = workshop.treeOf(site.file);
  if (!tree || tree.language === "java") return "it is no query of TypeScript or JavaScript";
  const own = connectionOf(tree, site);
  if (!own) return NO_SHAPE;
  const others = workshop
    .sitesOf(site.transaction)
    .filter((each) => each.file === site.file && !apart.has(each.statement.id))
    .filter((each) => sharedFunction(tree, site, each) !== undefined)
    .flatMap((each) => connectionOf(tree, each) ?? []);
  const told = others.find(({ transaction }) => transaction !== undefined)?.transaction;
  if (told !== undefined) {
    const edits = withOptions(tree, site, [optionOf(told)]);
    if (typeof edits === "string") return edits;
    const isRead = site.statement.kind === "select" && !isAggregate(site.statement.query);
    const locking = isRead
      ? withOptions(tree, site, [optionOf(told), `lock: ${told}.LOCK.UPDATE`])
      : edits;
    return { edits, receiver: own.receiver, ...(typeof locking !== "string" && { locking }) };
  }
  const other = others.find(({ library }) => library === own.library);
  if (!other) return "no query beside it tells the connection of the transaction";
  const call = callAt(tree, site);
  if (!call || !tree.text.startsWith(own.receiver, call.start)) return NO_SHAPE;
  const end = call.start + own.receiver.length;
  const { receiver } = other;
  return { receiver, edits: [{ file: site.file, start: call.start, end, newText: receiver }] };
}

function optionOf(told: string): string {
  return told === "transaction" ? told : `transaction: ${told}`;
}

/** `{ where, transaction }`: Sequelize is told in the options. */
function withOptions(
  tree: CodeTree,
  site: Site,
  options: readonly string[],
): readonly TextEdit[] | string {
  const link = chainAround(tree.root, tree.text, site.start, site.end).at(-1);
  if (!link) return NO_SHAPE;
  const option = options.join(", ");
  const values = argumentsOf(link);
  const last = values.at(-1);
  const edit = (at: number, newText: string): readonly TextEdit[] => [
    { file: site.file, start: at, end: at, newText },
  ];
  if (last?.type === "object" && transactionIn(last, tree.text) !== undefined)
    return "its options name a transaction already";
  const isOptions = last?.type === "object" && (values.length > 1 || FIRST.test(link.name));
  if (isOptions) {
    const { at, comma } = placeOfProperty(last);
    return edit(at, `${comma}${option}`);
  }
  return last ? edit(last.end, `, { ${option} }`) : edit(link.arguments.start + 1, `{ ${option} }`);
}

/** Methods whose first argument is their options. */
const FIRST = /^(?:findOne|findAll|findAndCountAll|count|destroy|save|reload)$/u;

/** The outermost call that begins where the statement of a library does. */
function callAt({ root }: CodeTree, { start, end }: Site): SyntaxNode | undefined {
  const literal = literalAround(root, start, end);
  const path = pathTo(root, literal?.start ?? start, literal?.end ?? end);
  return path.findLast(({ type }) => type === "call_expression");
}
