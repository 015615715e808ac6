// The abstract representation of a flat program that was built by hand, so that the store can run its witnesses.
import type {
  FlatProgram,
  FlatTransaction,
  Operation,
  Term,
} from "../../../server/src/analysis/operations/operation";
import type { Expression, Query } from "../../../server/src/program/expression";
import type { Program, Transaction } from "../../../server/src/program/program";
import type { Command, Statement } from "../../../server/src/program/statement";
import type { FileId, SourceRange } from "../../../server/src/protocol/source";

const position = { line: 0, character: 0 };
// A made-up name: no file is behind it.
const source: SourceRange = { file: "flat" as FileId, range: { start: position, end: position } };

/** A program whose routines do what the flat transactions say, operation by operation. */
export function programOf(flat: FlatProgram): Program {
  return {
    schema: {
      tables: Object.values(flat.tables).map((table) => ({
        name: table.name,
        columns: table.columns,
        primaryKey: table.primaryKey,
        uniqueKeys: table.uniqueKeys.map((columns) => ({ columns })),
        foreignKeys: [],
        checks: [],
        inferred: false,
      })),
    },
    transactions: flat.transactions.map(transactionOf),
    notes: [],
    files: [source.file],
  };
}

function transactionOf(flat: FlatTransaction): Transaction {
  const commands: Command[] = flat.operations.map((operation) => {
    const statement: Command = { kind: "statement", statement: statementOf(flat, operation) };
    return isTrue(operation.guard)
      ? statement
      : { kind: "if", condition: plain(operation.guard), then: statement, source };
  });
  const rollback: Command = { kind: "rollback", why: "asked to", source };
  commands.push({ kind: "if", condition: plain(flat.aborts), then: rollback, source });
  const [value] = flat.returns;
  if (value !== undefined) commands.push({ kind: "return", value: plain(value), source });
  return {
    id: flat.id,
    name: flat.id,
    header: source,
    source,
    boundary: "routine",
    parameters: flat.parameters.map(({ name, type, fresh }) => ({
      name,
      type,
      origin: fresh ? "fresh" : "argument",
    })),
    preconditions: flat.preconditions.map(plain),
    body: { kind: "sequence", commands },
    annotations: [],
    taint: [],
  };
}

function statementOf(flat: FlatTransaction, operation: Operation): Statement {
  const base = { id: operation.statement, source, text: operation.statement, taint: [] };
  const { table } = operation;
  const relation = { alias: table, table, kind: "base", join: "inner" } as const;
  const where: Expression = {
    kind: "and",
    operands: [
      ...Object.entries(operation.key).map(([column, term]): Expression => ({
        kind: "comparison",
        operator: "=",
        left: { kind: "column", relation: table, column },
        right: plain(term),
      })),
      expressionOf(operation.where, table),
    ],
  };
  const set = Object.entries(operation.set).map(([column, term]) => ({
    column,
    value: expressionOf(term, table),
  }));
  switch (operation.kind) {
    case "read": {
      const aggregate = operation.aggregate;
      const order = operation.orderBy;
      const outputs = Object.entries(operation.outputs).map(([name, term]) => ({
        name,
        value: expressionOf(term, table),
      }));
      if (aggregate !== undefined) {
        outputs.push({
          name: aggregate.output,
          value: {
            kind: "aggregate",
            function: aggregate.function,
            distinct: false,
            ...(aggregate.operand === undefined
              ? {}
              : { operand: expressionOf(aggregate.operand, table) }),
          },
        });
      }
      const query: Query = {
        relations: [relation],
        where,
        outputs,
        groupBy: [],
        orderBy:
          order === undefined
            ? []
            : [
                {
                  value: { kind: "column", relation: table, column: order.column },
                  descending: order.descending,
                },
              ],
        ...(operation.pick === "first" ? { limit: plain({ kind: "int", value: 1 }) } : {}),
        distinct: false,
        setOperations: [],
      };
      return {
        ...base,
        kind: "select",
        query,
        into: `r${String(operation.index)}`,
        discarded: false,
      };
    }
    case "update":
      return { ...base, kind: "update", relation, from: [], set, where };
    case "delete":
      return { ...base, kind: "delete", relation, using: [], where };
    case "insert":
      return {
        ...base,
        kind: "insert",
        table,
        rows: [set],
        ...(operation.onDuplicate === "nothing"
          ? { onConflict: { target: [], action: "nothing", set: [] } }
          : {}),
      };
    default: {
      const never: never = operation.kind;
      throw new Error(`${String(never)} in ${flat.id}`);
    }
  }
}

function isTrue(term: Term): boolean {
  return term.kind === "bool" && term.value;
}

function plain(term: Term): Expression {
  return expressionOf(term, "");
}

const ARITHMETIC = { add: "+", subtract: "-", multiply: "*", divide: "/", modulo: "%" } as const;

function expressionOf(term: Term, relation: string): Expression {
  const of = (operand: Term): Expression => expressionOf(operand, relation);
  switch (term.kind) {
    case "int":
      return { kind: "literal", value: term.value, type: "int" };
    case "bool":
      return { kind: "literal", value: term.value, type: "bool" };
    case "null":
      return { kind: "literal", value: null, type: "int" };
    case "parameter":
      return { kind: "parameter", name: term.name };
    case "output":
      return { kind: "field", result: `r${String(term.operation)}`, field: term.name, at: "first" };
    case "found":
      return {
        kind: "comparison",
        operator: ">",
        left: { kind: "size", result: `r${String(term.operation)}` },
        right: { kind: "literal", value: 0, type: "int" },
      };
    case "count":
      return { kind: "size", result: `r${String(term.operation)}` };
    case "column":
      return { kind: "column", relation, column: term.column };
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "modulo":
      return {
        kind: "arithmetic",
        operator: ARITHMETIC[term.kind],
        left: of(term.left),
        right: of(term.right),
      };
    case "compare":
      return {
        kind: "comparison",
        operator: term.operator,
        left: of(term.left),
        right: of(term.right),
      };
    case "negate":
    case "not":
    case "isNull":
      return { kind: term.kind, operand: of(term.operand) };
    case "and":
    case "or":
      return { kind: term.kind, operands: term.operands.map(of) };
    case "conditional":
      return {
        kind: "conditional",
        condition: of(term.condition),
        then: of(term.then),
        otherwise: of(term.otherwise),
      };
    case "apply":
      return {
        kind: "call",
        name: term.name,
        arguments: term.arguments.map(of),
        deterministic: true,
      };
    case "over":
    case "joined":
      throw new Error("a flat program with nested rows has no plain form");
    case "failed":
      throw new Error("a flat program with handlers has no plain form");
    case "unknown":
      return { kind: "unknown", id: term.id, type: term.type, dependsOn: [], why: "made up" };
    default: {
      const never: never = term;
      throw new Error(String(never));
    }
  }
}
