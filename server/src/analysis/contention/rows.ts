// Rows and arguments for which transactions meet as required: terms that the texts equate share one value, and the rest is chosen so that
// most conditions hold. The store decides the outcome.
import type { ValueType } from "../../program/expression";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { Row, Value } from "../../protocol/witness";
import type { Setup } from "../../store/execution";
import { HIDDEN, INTERNED_BASE } from "../operations/operation";
import type {
  FlatProgram,
  FlatTable,
  FlatTransaction,
  Operation,
  Term,
} from "../operations/operation";
import { conjunctsOf } from "../operations/terms";
import { wordOf } from "../search/words";

/** Instances named T1, T2, ... of these transactions. */
export interface Meeting {
  readonly flat: FlatProgram;
  readonly transactions: readonly FlatTransaction[];
  /** Pairs of operations that must access the same row, with the indexes of their instances. */
  readonly same: readonly (readonly [Place, Place])[];
  /** Operations that must be reached. */
  readonly reached: readonly Place[];
  /** Operations that must find no row. */
  readonly missing: readonly Place[];
}

export interface Place {
  readonly instance: number;
  readonly operation: Operation;
}

/** Default values for what no equality determines. */
export interface Filling {
  readonly column: number;
  readonly argument: number;
  readonly flag: boolean;
}

/** Large columns with small arguments first; then zeros. */
export const FILLINGS: readonly Filling[] = [
  { column: 100, argument: 1, flag: true },
  { column: 100, argument: 1, flag: false },
  { column: 0, argument: 0, flag: false },
];

/** The name of the n-th instance. */
export function nameOfInstance(index: number): string {
  return `T${String(index + 1)}`;
}

/** Arguments and rows; undefined if the equalities contradict each other. */
export function meetingSetup(meeting: Meeting, filling: Filling): Setup | undefined {
  const slots = createSlots();
  const { transactions, same, reached, missing } = meeting;
  for (const [instance, transaction] of transactions.entries())
    for (const operation of transaction.operations) equate(slots, meeting, { instance, operation });
  for (const [one, other] of same) oneRow(slots, meeting, one, other);
  const absent = [...missing];
  for (const place of reached)
    for (const term of conjunctsOf(place.operation.guard)) {
      equateTerm(slots, meeting, place.instance, term);
      const target = notFound(term);
      const operation = transactions[place.instance]?.operations[target ?? -1];
      if (operation) absent.push({ instance: place.instance, operation });
    }
  if (!mergeRows(slots, meeting)) return undefined;
  const values = valuesOf(slots, meeting, filling);
  const instances = transactions.map((transaction, instance) => ({
    instance: nameOfInstance(instance),
    transaction: transaction.id,
    arguments: Object.fromEntries(
      transaction.parameters
        .filter(({ name }) => !name.startsWith(HIDDEN))
        .map((parameter): [string, Value] => [
          parameter.name,
          values.get(slots.find(argumentSlot(transaction, instance, parameter.name))) ??
            freeValue(parameter.type, parameter.name, filling),
        ]),
    ),
  }));
  return { instances, initial: rowsOf(slots, meeting, absent, values) };
}

interface Slots {
  readonly find: (slot: string) => string;
  readonly join: (one: string, other: string) => void;
  readonly all: () => readonly string[];
}

/** Equivalence classes of values (union-find). */
function createSlots(): Slots {
  const parents = new Map<string, string>();
  const find = (slot: string): string => {
    const parent = parents.get(slot);
    if (parent === undefined) parents.set(slot, slot);
    if (parent === undefined || parent === slot) return slot;
    const root = find(parent);
    parents.set(slot, root);
    return root;
  };
  return {
    find,
    join: (one, other) => parents.set(find(one), find(other)),
    all: () => [...parents.keys()],
  };
}

const CONSTANT = "= ";

function rowSlot({ instance, operation }: Place, column: string): string {
  return JSON.stringify(["row", instance, operation.index, column]);
}

function argumentSlot(transaction: FlatTransaction, instance: number, name: string): string {
  const parameter = transaction.parameters.find((each) => each.name === name);
  // A constant is shared by all instances.
  if (parameter?.constant === true) return JSON.stringify(["argument", transaction.id, name]);
  return JSON.stringify(["argument", instance, name]);
}

/** The slot of a term; undefined if it is computed. `at` is the operation of the current row. */
function slotOf(
  transactions: Meeting["transactions"],
  instance: number,
  term: Term,
  at?: Operation,
): string | undefined {
  const transaction = transactions[instance];
  switch (term.kind) {
    case "int":
    case "bool":
      return `${CONSTANT}${JSON.stringify(term.value)}`;
    case "parameter":
      return transaction && argumentSlot(transaction, instance, term.name);
    case "column":
      return at && rowSlot({ instance, operation: at }, term.column);
    case "output": {
      const operation = transaction?.operations[term.operation];
      const inner = operation && new Map(Object.entries(operation.outputs)).get(term.name);
      return inner && slotOf(transactions, instance, inner, operation);
    }
    case "conditional":
      return slotOf(transactions, instance, term.then, at);
    default:
      return undefined;
  }
}

/** Equates the columns in an operation's conditions with their values: key columns, and others compared for equality. */
function equate(slots: Slots, { transactions, flat }: Meeting, place: Place): void {
  const { instance, operation } = place;
  const given = operation.kind === "insert" ? operation.set : operation.key;
  for (const [column, term] of Object.entries(given)) {
    const value = slotOf(transactions, instance, term);
    if (value !== undefined) slots.join(rowSlot(place, column), value);
  }
  for (const term of conjunctsOf(operation.where))
    equateTerm(slots, { transactions }, instance, term, operation);
  for (const { name } of ownEntry(flat.tables, operation.table)?.columns ?? [])
    slots.find(rowSlot(place, name));
}

function equateTerm(
  slots: Slots,
  { transactions }: Pick<Meeting, "transactions">,
  instance: number,
  term: Term,
  at?: Operation,
): void {
  if (term.kind !== "compare" || term.operator !== "=") return;
  const [left, right] = [term.left, term.right].map((each) =>
    slotOf(transactions, instance, each, at),
  );
  if (left !== undefined && right !== undefined) slots.join(left, right);
}

/** The operation that a condition says found no row. */
function notFound(term: Term): number | undefined {
  return term.kind === "not" && term.operand.kind === "found" ? term.operand.operation : undefined;
}

function oneRow(slots: Slots, { flat }: Meeting, one: Place, other: Place): void {
  for (const { name } of ownEntry(flat.tables, one.operation.table)?.columns ?? [])
    slots.join(rowSlot(one, name), rowSlot(other, name));
}

function allPlaces({ transactions }: Meeting): readonly Place[] {
  return transactions.flatMap(({ operations }, instance) =>
    operations.map((operation): Place => ({ instance, operation })),
  );
}

function keyText(slots: Slots, { flat }: Meeting, place: Place): string {
  const { table } = place.operation;
  const key = ownEntry(flat.tables, table)?.primaryKey ?? [];
  return JSON.stringify([table, ...key.map((column) => slots.find(rowSlot(place, column)))]);
}

/** Merges rows with equal keys. False if two constants would have to be equal. */
function mergeRows(slots: Slots, meeting: Meeting): boolean {
  const places = allPlaces(meeting);
  for (let before = -1, now = -2; before !== now;) {
    before = new Set(slots.all().map(slots.find)).size;
    const known = new Map<string, Place>();
    for (const place of places) {
      const key = keyText(slots, meeting, place);
      const other = known.get(key);
      if (other) oneRow(slots, meeting, other, place);
      else known.set(key, place);
    }
    now = new Set(slots.all().map(slots.find)).size;
  }
  const constants = slots.all().filter((slot) => slot.startsWith(CONSTANT));
  return new Set(constants.map(slots.find)).size === constants.length;
}

/** Columns that identify or reference rows. */
function keyColumns(table: FlatTable | undefined): ReadonlySet<string> {
  return new Set([
    ...(table?.primaryKey ?? []),
    ...(table?.uniqueKeys ?? []).flat(),
    ...(table?.foreignKeys ?? []).flatMap(({ columns }) => columns),
  ]);
}

/** The value of each class of slots. */
function valuesOf(slots: Slots, meeting: Meeting, filling: Filling): ReadonlyMap<string, Value> {
  const { flat } = meeting;
  const values = new Map<string, Value>();
  const types = new Map<string, { readonly type: ValueType; readonly isKey: boolean }>();
  for (const place of allPlaces(meeting)) {
    const table = ownEntry(flat.tables, place.operation.table);
    const keys = keyColumns(table);
    for (const { name, type } of table?.columns ?? []) {
      const slot = slots.find(rowSlot(place, name));
      const isKey = keys.has(name) || types.get(slot)?.isKey === true;
      types.set(slot, { type, isKey });
    }
  }
  for (const slot of slots.all().filter((each) => each.startsWith(CONSTANT))) {
    const known = JSON.parse(slot.slice(CONSTANT.length)) as number | boolean;
    const text = typeof known === "number" ? flat.interned[known - INTERNED_BASE] : undefined;
    values.set(slots.find(slot), text ?? known);
  }
  let next = 0;
  for (const [slot, { type, isKey }] of types) {
    if (values.has(slot)) continue;
    if (isKey) next += 1;
    values.set(slot, isKey ? keyValue(type, next, flat.interned) : freeValue(type, "", filling));
  }
  return values;
}

function keyValue(type: ValueType, number: number, taken: readonly string[]): Value {
  if (type === "int" || type === "decimal") return number;
  return type === "bool" ? number % 2 === 1 : wordOf(type, number, taken);
}

/** The length of lists. */
const LENGTH = 2;

function freeValue(type: ValueType, argument: string, filling: Filling): Value {
  if (argument.endsWith(".length")) return LENGTH;
  if (type === "bool") return filling.flag;
  if (type === "int" || type === "decimal") return argument === "" ? filling.column : filling.argument; // prettier-ignore
  return wordOf(type, 1, []);
}

/** The accessed rows, except inserted and missing ones. */
function rowsOf(
  slots: Slots,
  meeting: Meeting,
  missing: readonly Place[],
  values: ReadonlyMap<string, Value>,
): Setup["initial"] {
  const { flat } = meeting;
  const places = allPlaces(meeting);
  const absent = new Set(
    [...missing, ...places.filter(({ operation }) => operation.kind === "insert")].map((place) =>
      keyText(slots, meeting, place),
    ),
  );
  const rows = new Map<string, Map<string, Row>>();
  for (const place of places) {
    const { table } = place.operation;
    const key = keyText(slots, meeting, place);
    if (table.startsWith(HIDDEN) || absent.has(key)) continue;
    const known = rows.get(table) ?? new Map<string, Row>();
    rows.set(table, known);
    const row: Record<string, Value> = {};
    for (const { name } of ownEntry(flat.tables, table)?.columns ?? [])
      if (!name.startsWith(HIDDEN))
        setEntry(row, name, values.get(slots.find(rowSlot(place, name))) ?? null);
    known.set(key, row);
  }
  return Object.fromEntries([...rows].map(([table, own]) => [table, [...own.values()]]));
}
