// CREATE PROCEDURE, FUNCTION and TRIGGER of MySQL and MariaDB. Their bodies stay text, which `routine/mysqlBody.ts` carries out.
import { readDefinition } from "../../frontend/sql/mysql/definition";
import { parseBody } from "../../frontend/sql/mysql/parser";
import { parseWhole } from "../../frontend/sql/dialects/parseStatement";
import { readDefinition as readTable } from "../../frontend/sql/dialects/parseDefinition";
import { inLowerCase } from "../../frontend/sql/text/spelling";
import { indexLines } from "../../frontend/sql/text/lines";
import type { Dialect } from "../../program/dialect";
import type { FileId } from "../../protocol/source";
import type { Trigger } from "../catalog";
import { failure, unsupported } from "../sqlError";
import type { SqlDefinition } from "../definitionTree";
import type { TypeName } from "../values/types";
import { definitionsOf } from "./definition";

/** The definitions that a text makes: a trigger is one of its own and a routine that it runs. */
export function routineDefinitions(text: string, dialect: Dialect): readonly SqlDefinition[] {
  const lines = indexLines(NO_FILE, text);
  const read = readDefinition(lines, { start: 0, end: text.length }, dialect);
  const replace = /^\s*create\s+or\s+replace\b/iu.test(text);
  switch (read.kind) {
    case "unreadable":
      throw failure("syntax", `You have an error in your SQL syntax: ${read.message}`);
    case "event":
      throw unsupported("CREATE EVENT");
    case "trigger": {
      const { name, table, moment, definition } = read;
      const trigger: Trigger = {
        name,
        table: table.name.toLowerCase(),
        timing: moment.includes("before") ? "before" : "after",
        events: EVENTS.filter((event) => moment.includes(event)),
        forRows: true,
        routine: triggerRoutine(name),
        arguments: [],
      };
      const what = { name: trigger.routine, isProcedure: false, replace: true, parameters: [] };
      return [
        routineOf({ ...what, returns: named("trigger") }, definition.body.text),
        { kind: "create trigger", trigger, replace },
      ];
    }
    case "routine": {
      const { name, isProcedure, returns, body } = read.definition;
      const parameters = read.definition.arguments.map(
        ({ name: own, type, isInput, isOutput }) => ({
          name: own,
          mode: isOutput ? (isInput ? ("inout" as const) : ("out" as const)) : ("in" as const),
          type: typeNamed(type.written, dialect),
        }),
      );
      const type = returns && typeNamed(returns.written, dialect);
      const what = { name, isProcedure, replace, parameters, ...(type && { returns: type }) };
      return [routineOf(what, body.text)];
    }
    default:
      return read satisfies never;
  }
}

const NO_FILE = "" as FileId;
const EVENTS = ["insert", "update", "delete"] as const;

/** The name of a trigger's body among the routines, which no statement can call. */
export function triggerRoutine(name: string): string {
  return `#${name}`;
}

type RoutineDefinition = Extract<SqlDefinition, { readonly kind: "create routine" }>;

function routineOf(
  what: Omit<RoutineDefinition, "kind" | "language" | "returnsSet" | "body">,
  body: string,
): SqlDefinition {
  const [problem] = parseBody(body).problems;
  if (problem !== undefined)
    throw failure("syntax", `You have an error in your SQL syntax: ${problem.message}`);
  return { kind: "create routine", language: "mysql", returnsSet: false, body, ...what };
}

function named(name: string): TypeName {
  return { name, modifiers: [], array: false };
}

/** A type as a column of a table would have it. */
export function typeNamed(type: string, dialect: Dialect): TypeName {
  const text = `CREATE TABLE t (c ${type})`;
  const read = parseWhole({ text, dialect, spelling: inLowerCase }, readTable);
  const [table] = read.ok ? definitionsOf(read.tree, false, "") : [];
  const column = table?.kind === "create table" ? table.columns[0] : undefined;
  if (column === undefined) throw unsupported(`the type ${type}`);
  return column.type;
}
