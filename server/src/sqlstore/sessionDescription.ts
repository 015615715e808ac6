// Columns and types of parameters of a statement before it runs.
import type { Database } from "./database";
import { showResult, type ShowRequest } from "./display";
import { shownColumns } from "./mysql/spelling";
import { selectOf } from "./selectOf";
import type { SessionStatements } from "./sessionStatements";
import type { ResultColumn } from "./sessionTypes";
import type { SqlStatement } from "./statementTree";
import type { SqlChange, SqlQuery } from "./tree";
import type { SqlType } from "./values/types";

export interface Description {
  readonly columns: readonly ResultColumn[];
  /** By their numbers; "unknown" where nothing tells the type. */
  readonly parameters: ReadonlyMap<number, SqlType>;
}

const NO_PARAMETERS: ReadonlyMap<number, SqlType> = new Map();

/** `given`: types as far as the client says them; `locals`: those of variables that the statement may name. */
export function described(
  sql: string,
  given: ReadonlyMap<number, SqlType>,
  {
    database,
    about,
    own,
    locals,
  }: {
    readonly database: Database;
    readonly about: ShowRequest;
    readonly own: SessionStatements;
    readonly locals: ReadonlyMap<string, SqlType> | undefined;
  },
): Description {
  const [first] = database.read(sql);
  if (first === undefined) return { columns: [], parameters: NO_PARAMETERS };
  const { statement: parsed, literals, spelling } = first;
  const planned = (statement: SqlStatement): ReadonlyMap<number, SqlType> => {
    if (!isPlanned(statement)) return NO_PARAMETERS;
    const { parameters, compiler } = database.plan(statement, given, locals);
    return numbered(parameters, compiler);
  };
  switch (parsed.kind) {
    case "show":
      return { columns: showResult(parsed, about).columns, parameters: NO_PARAMETERS };
    case "call": {
      const { parameters, compiler } = database.plan(selectOf(parsed.arguments), given);
      return { columns: [], parameters: numbered(parameters, compiler) };
    }
    case "explain":
      return { columns: own.columns(parsed), parameters: planned(parsed.statement) };
    case "select":
    case "insert":
    case "update":
    case "delete":
    case "merge": {
      const types =
        literals === undefined ? given : new Map(literals.map(({ type }, at) => [at + 1, type]));
      const { columns, parameters, compiler } = database.plan(parsed, types, locals);
      return {
        columns: shownColumns(columns, spelling),
        parameters: literals === undefined ? numbered(parameters, compiler) : NO_PARAMETERS,
      };
    }
    default:
      return { columns: own.columns(parsed), parameters: NO_PARAMETERS };
  }
}

function isPlanned(statement: SqlStatement): statement is SqlQuery | SqlChange {
  return /^(select|insert|update|delete|merge)$/.test(statement.kind);
}

/** The types of all parameters up to the highest. */
function numbered(
  types: ReadonlyMap<number, SqlType>,
  { highestParameter }: { readonly highestParameter: number },
): ReadonlyMap<number, SqlType> {
  const numbers = Array.from({ length: highestParameter }, (_, at) => at + 1);
  return new Map(numbers.map((each) => [each, types.get(each) ?? "unknown"]));
}
