// The histories of Jepsen and Elle: operations that are invoked and return, each a transaction of appends or of writes.
import type { HistoryBuilder } from "../builder";
import {
  ABORTED,
  APPEND,
  COMMITTED,
  READ,
  UNKNOWN,
  WRITE,
  type TransactionStatus,
} from "../history";
import { ednForms, ednText, entryOf, type EdnValue } from "./edn";
import type { Fault } from "./fault";
import {
  keyNumber,
  sessionNumber,
  versionNumber,
  type FormatReader,
  type WholeNumber,
} from "./reader";

/** One whole operation of Jepsen: a transaction. */
interface Operation {
  readonly session: number;
  readonly status: TransactionStatus;
  readonly items: readonly EdnValue[];
  /** Event numbers of its invocation and return, NaN if there is none. */
  readonly begin: number;
  readonly end: number;
  readonly line: number;
}

interface Invoked {
  readonly session: number;
  readonly value: EdnValue | undefined;
  readonly line: number;
  readonly event: number;
}

/** True if keys hold lists or single values. `[:r k nil]` is an empty list in one and the value at the start in the other. */
type Model = "lists" | "registers";

const STATUSES: ReadonlyMap<string, TransactionStatus> = new Map([
  [":ok", COMMITTED],
  [":fail", ABORTED],
  [":info", UNKNOWN],
]);

/**
 * A transaction begins with its `:invoke` and ends with `:ok`, `:fail` (aborted) or `:info` (unknown, as without an end). The process is
 * the session; without processes each operation is a separate session. Lines are in time order, as Jepsen records them.
 */
export function elleReader(builder: HistoryBuilder): FormatReader {
  const open = new Map<string, Invoked>();
  let events = 0;
  let latest = Number.NEGATIVE_INFINITY;
  let model: Model | undefined;
  /** Operations that do not show the model, kept until one does. */
  let waiting: Operation[] = [];

  function event(form: EdnValue, line: number): Fault | undefined {
    if (form.kind !== "map")
      return fault(line, `expected {:type :ok, :process 0, :value [...]}, found ${ednText(form)}`);
    const process = entryOf(form, ":process");
    // The nemesis and other helpers of a test have keywords as names; they run no transactions.
    if (process?.kind === "keyword") return undefined;
    const f = entryOf(form, ":f");
    if (f && f.kind !== "nil" && ednText(f) !== ":txn")
      return fault(line, `expected :f :txn, found ${ednText(f)}: only transactions can be checked`);
    noteTime(entryOf(form, ":time"), line);
    events += 1;
    const owner = process ? ednText(process) : "nil";
    const type = ednText(entryOf(form, ":type") ?? { kind: "nil" });
    const value = entryOf(form, ":value");
    const invoked = open.get(owner);
    if (type === ":invoke") {
      if (invoked) return overlapping(owner, invoked, line);
      open.set(owner, { session: sessionOf(process), value, line, event: events });
      return undefined;
    }
    const status = STATUSES.get(type);
    if (status === undefined)
      return fault(line, `expected :type to be :invoke, :ok, :fail or :info, found ${type}`);
    open.delete(owner);
    const told = status === COMMITTED ? (value ?? invoked?.value) : (invoked?.value ?? value);
    if (told?.kind !== "sequence" && status === COMMITTED)
      return fault(line, "expected :value with operations such as [[:append 1 2] [:r 3 nil]]");
    return operation({
      session: invoked?.session ?? sessionOf(process),
      status,
      items: told?.kind === "sequence" ? told.items : [],
      begin: invoked?.event ?? Number.NaN,
      // A write that may take effect at any later time has no end.
      end: status === UNKNOWN ? Number.POSITIVE_INFINITY : events,
      line,
    });
  }

  function sessionOf(process: EdnValue | undefined): number {
    if (!process || process.kind === "nil") return builder.newSession();
    return sessionNumber(builder, nameOf(process));
  }

  function noteTime(time: EdnValue | undefined, line: number): void {
    if (time?.kind !== "integer") return;
    const now = Number(time.value);
    if (now < latest) {
      const message = `:time runs backwards, from ${String(latest)} to ${String(now)}: the order of the lines is used instead.`;
      builder.problem(message, line);
    }
    latest = now;
  }

  /** Adds an operation as soon as the model is known. */
  function operation(added: Operation): Fault | undefined {
    if (model === undefined) {
      model = modelOf(added.items);
      waiting.push(added);
      return model === undefined ? undefined : flush(model);
    }
    return transaction(added, model);
  }

  function flush(known: Model): Fault | undefined {
    for (const each of waiting) {
      const wrong = transaction(each, known);
      if (wrong) return wrong;
    }
    waiting = [];
    return undefined;
  }

  function transaction(added: Operation, known: Model): Fault | undefined {
    const number = builder.newTransaction(added.session);
    builder.setStatus(number, added.status);
    builder.setTimes(number, added.begin, added.end);
    for (const item of added.items) {
      const message = part(number, item, added, known);
      if (message !== undefined) return fault(added.line, message);
    }
    return undefined;
  }

  function part(
    number: number,
    item: EdnValue,
    { status, line }: Operation,
    known: Model,
  ): string | undefined {
    const [name, keyName, value] = item.kind === "sequence" ? item.items : [];
    const kind = name ? ednText(name) : "";
    if (!keyName || ![":append", ":w", ":r"].includes(kind))
      return `expected [:append KEY ELEMENT], [:w KEY VALUE] or [:r KEY VALUE], found ${ednText(item)}`;
    const own = modelOf([item]);
    if (own !== undefined && own !== known)
      return `${ednText(item)} is of a history of ${own}, what stands before of one of ${known}: a file is one of the two`;
    const key = keyNumber(builder, nameOf(keyName));
    if (kind !== ":r") {
      if (!value || value.kind === "nil") return `expected a value in ${ednText(item)}`;
      const version = versionNumber(builder, key, nameOf(value));
      builder.add(kind === ":append" ? APPEND : WRITE, number, key, version, line);
      return undefined;
    }
    // The value of a read is only known if the transaction returned.
    if (status !== COMMITTED) return undefined;
    if (known === "lists") {
      for (const element of value?.kind === "sequence" ? value.items : [])
        builder.listElement(versionNumber(builder, key, nameOf(element)));
      builder.addListRead(number, key, line);
      return undefined;
    }
    const held = value && value.kind !== "nil" ? nameOf(value) : null;
    builder.add(READ, number, key, versionNumber(builder, key, held), line);
    return undefined;
  }

  const forms = ednForms(event);
  return {
    feed: (bytes) => forms.feed(bytes),
    end() {
      const wrong = forms.end();
      if (wrong) return wrong;
      for (const { session, value, line, event: begin } of open.values()) {
        const items = value?.kind === "sequence" ? value.items : [];
        const end = Number.POSITIVE_INFINITY;
        const late = operation({ session, status: UNKNOWN, items, begin, end, line });
        if (late) return late;
      }
      return flush(model ?? "registers");
    },
  };
}

function overlapping(owner: string, invoked: Invoked, line: number): Fault {
  const before = `the operation of line ${String(invoked.line)}`;
  return fault(
    line,
    owner === "nil"
      ? `${before} has not returned yet, and without :process nobody can tell which one returns next`
      : `process ${owner} invokes again before ${before} has returned`,
  );
}

/** The model that the operations imply; undefined if they imply none. */
function modelOf(items: readonly EdnValue[]): Model | undefined {
  for (const item of items) {
    const [name, , value] = item.kind === "sequence" ? item.items : [];
    const kind = name ? ednText(name) : "";
    if (kind === ":append") return "lists";
    if (kind === ":w") return "registers";
    if (kind === ":r" && value && value.kind !== "nil")
      return value.kind === "sequence" ? "lists" : "registers";
  }
  return undefined;
}

/** Integers are themselves; everything else is named by its text, so that 1 and "1" differ. */
function nameOf(value: EdnValue): WholeNumber | string {
  return value.kind === "integer" ? value.value : ednText(value);
}

function fault(line: number, message: string): Fault {
  return { place: { line }, message };
}
