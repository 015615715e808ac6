// Small flat programs by hand, for tests of the encoders that must not depend on the front end.
import type {
  FlatProgram,
  FlatTable,
  FlatTransaction,
  Operation,
  Term,
} from "../../../server/src/analysis/operations/operation";

export const TRUE: Term = { kind: "bool", value: true };
export const FALSE: Term = { kind: "bool", value: false };

export function num(value: number): Term {
  return { kind: "int", value };
}

/** A parameter. */
export function par(name: string): Term {
  return { kind: "parameter", name };
}

/** A column of the row at hand. */
export function col(column: string): Term {
  return { kind: "column", column };
}

/** An output of an earlier operation. */
export function out(operation: number, name: string): Term {
  return { kind: "output", operation, name };
}

export function plus(left: Term, right: Term): Term {
  return { kind: "add", left, right };
}

export function minus(left: Term, right: Term): Term {
  return { kind: "subtract", left, right };
}

export function atMost(left: Term, right: Term): Term {
  return { kind: "compare", operator: "<=", left, right };
}

export function equal(left: Term, right: Term): Term {
  return { kind: "compare", operator: "=", left, right };
}

export function notTerm(operand: Term): Term {
  return { kind: "not", operand };
}

type Draft = Partial<Operation> & Pick<Operation, "kind" | "table">;

export function read(table: string, key: Record<string, Term>, outputs: readonly string[]): Draft {
  return {
    kind: "read",
    table,
    key,
    outputs: Object.fromEntries(outputs.map((name) => [name, col(name)])),
  };
}

export function update(table: string, key: Record<string, Term>, set: Record<string, Term>): Draft {
  return { kind: "update", table, key, set };
}

export function insert(table: string, key: Record<string, Term>, set: Record<string, Term>): Draft {
  return { kind: "insert", table, key, set: { ...key, ...set } };
}

export function remove(table: string, key: Record<string, Term>): Draft {
  return { kind: "delete", table, key };
}

export function transaction(
  id: string,
  parameters: readonly string[],
  drafts: readonly Draft[],
  rest: Partial<FlatTransaction> = {},
): FlatTransaction {
  return {
    id,
    parameters: parameters.map((name) => ({ name, type: "int", fresh: false })),
    preconditions: [],
    operations: drafts.map((draft, index) => ({
      index,
      step: index,
      statement: `${id}/${String(index)}`,
      lock: "none",
      guard: TRUE,
      key: {},
      where: TRUE,
      pick: "point",
      outputs: {},
      set: {},
      onDuplicate: "error",
      mustFind: false,
      precision: "exact",
      ...draft,
    })),
    aborts: FALSE,
    returns: [],
    visible: [],
    losses: [],
    ...rest,
  };
}

/** A table whose key is its first column; all columns are NOT NULL integers. */
export function table(name: string, columns: readonly string[], rest: Partial<FlatTable> = {}) {
  const described: FlatTable = {
    name,
    primaryKey: columns.slice(0, 1),
    columns: columns.map((column) => ({ name: column, type: "int", nullable: false })),
    uniqueKeys: [],
    checks: [],
    ...rest,
  };
  return described;
}

export function program(
  tables: readonly FlatTable[],
  transactions: readonly FlatTransaction[],
): FlatProgram {
  return {
    tables: Object.fromEntries(tables.map((each) => [each.name, each])),
    transactions,
    interned: [],
  };
}

/** Bank: reads a balance and writes it back less an amount. */
export const WITHDRAW = program(
  [table("account", ["id", "balance"])],
  [
    transaction(
      "withdraw",
      ["id", "amount"],
      [
        read("account", { id: par("id") }, ["balance"]),
        {
          ...update(
            "account",
            { id: par("id") },
            { balance: minus(out(0, "balance"), par("amount")) },
          ),
          guard: atMost(par("amount"), out(0, "balance")),
        },
      ],
    ),
  ],
);

/** SmallBank in the form of the benchmark; the two accounts of a transfer differ. */
export function smallBank(): FlatProgram {
  const tables = ["savings", "checking"].map((name) => table(name, ["c", "bal"]));
  const apart = { preconditions: [notTerm(equal(par("c0"), par("c1")))] };
  const bal = (operation: number): Term => out(operation, "bal");
  return program(tables, [
    transaction(
      "Amalgamate",
      ["c0", "c1"],
      [
        read("savings", { c: par("c0") }, ["bal"]),
        read("checking", { c: par("c1") }, ["bal"]),
        update("checking", { c: par("c0") }, { bal: num(0) }),
        update("savings", { c: par("c1") }, { bal: minus(col("bal"), plus(bal(0), bal(1))) }),
      ],
      apart,
    ),
    transaction(
      "Balance",
      ["c0"],
      [read("savings", { c: par("c0") }, ["bal"]), read("checking", { c: par("c0") }, ["bal"])],
      { returns: [plus(bal(0), bal(1))] },
    ),
    transaction(
      "DepositChecking",
      ["c0", "v"],
      [update("checking", { c: par("c0") }, { bal: plus(col("bal"), par("v")) })],
    ),
    transaction(
      "SendPayment",
      ["c0", "c1", "v"],
      [
        read("checking", { c: par("c0") }, ["bal"]),
        {
          ...update("checking", { c: par("c0") }, { bal: minus(col("bal"), par("v")) }),
          guard: atMost(par("v"), bal(0)),
        },
        {
          ...update("checking", { c: par("c1") }, { bal: plus(col("bal"), par("v")) }),
          guard: atMost(par("v"), bal(0)),
        },
      ],
      { ...apart, aborts: notTerm(atMost(par("v"), bal(0))) },
    ),
    transaction(
      "TransactSavings",
      ["c0", "v"],
      [
        read("savings", { c: par("c0") }, ["bal"]),
        {
          ...update("savings", { c: par("c0") }, { bal: minus(col("bal"), par("v")) }),
          guard: atMost(par("v"), bal(0)),
        },
      ],
      { aborts: notTerm(atMost(par("v"), bal(0))) },
    ),
    transaction(
      "WriteCheck",
      ["c0", "v"],
      [
        read("savings", { c: par("c0") }, ["bal"]),
        read("checking", { c: par("c0") }, ["bal"]),
        {
          ...update("checking", { c: par("c0") }, { bal: minus(col("bal"), par("v")) }),
          guard: atMost(par("v"), plus(bal(0), bal(1))),
        },
        {
          ...update(
            "checking",
            { c: par("c0") },
            { bal: minus(col("bal"), plus(par("v"), num(1))) },
          ),
          guard: notTerm(atMost(par("v"), plus(bal(0), bal(1)))),
        },
      ],
    ),
  ]);
}
