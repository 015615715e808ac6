// The whole of a transaction as lines that people can compare with the code: its statements, and what they stand under.
import { statementPrecision } from "../../server/src/service/statements";
import type { Transaction } from "../../server/src/program/program";
import type { Command, LoopRange, Statement } from "../../server/src/program/statement";
import { expressionText, statementText } from "./statementText";

/** All commands of the transaction, indented by nesting; `marked` begins with an arrow. */
export function transactionText(transaction: Transaction, marked?: Statement): readonly string[] {
  const { boundary, level, taint, body } = transaction;
  return [
    `${boundary}${level ? ` at ${level.name}` : ""}${taint.map(({ reason }) => ` (${reason})`).join("")}`,
    ...lines(body, marked).map((line) => `  ${line}`),
  ];
}

function lines(command: Command, marked?: Statement): readonly string[] {
  const within = (inner: Command): readonly string[] =>
    lines(inner, marked).map((line) => `  ${line}`);
  switch (command.kind) {
    case "sequence":
      return command.commands.flatMap((each) => lines(each, marked));
    case "statement": {
      const { statement } = command;
      const line = String(statement.source.range.start.line + 1);
      const label = statementPrecision(statement);
      return [
        `${statement === marked ? "=> " : ""}${line}: ${label === "exact" ? "" : `[${label}] `}${statementText(statement)}`,
      ];
    }
    case "assign":
      return [`${command.variable} := ${expressionText(command.value)}`];
    case "if":
      return [
        `if ${expressionText(command.condition)}`,
        ...within(command.then),
        ...(command.otherwise ? ["else", ...within(command.otherwise)] : []),
      ];
    case "loop":
      return [`loop ${command.id} ${rangeText(command.over)}`, ...within(command.body)];
    case "exit":
    case "continue":
      return [`${command.kind} ${command.loop}`];
    case "rollback":
      return [`rollback (${command.why})${command.leaves ? " and go on" : ""}`];
    case "return":
      return [`return${command.value ? ` ${expressionText(command.value)}` : ""}`];
    case "try":
      return ["try", ...within(command.body), "catch", ...within(command.handler)];
    case "atomic":
      return [`atomic${command.level ? ` at ${command.level.name}` : ""}`, ...within(command.body)];
    default:
      return [`${command.kind} ${command.name}`];
  }
}

function rangeText(over: LoopRange): string {
  switch (over.kind) {
    case "rows":
      return `over ${over.result}`;
    case "count":
      return `${over.variable} from ${expressionText(over.from)} to ${expressionText(over.to)}`;
    case "while":
      return `while ${expressionText(over.condition)}`;
    case "unknown":
      return "unknown";
    case "recursion":
      return `deeper in ${over.of}()`;
  }
}
