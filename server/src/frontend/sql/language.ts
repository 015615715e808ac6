// Interface of a file's SQL language.
import type { Note, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import { dialectLabel, type Dialect } from "../../program/dialect";
import type { Query } from "../../program/expression";
import type { Statement } from "../../program/statement";
import { readDialectSchema } from "./dialects/schema";
import { lowerDialectStatement } from "./dialects/statement";
import type { StatementLowering } from "./lowerSql";
import { rangeOf } from "./text/lines";
import { plainPiece, type SqlPiece } from "./lowering";
import { lowerStoredRoutines, readStoredRoutines, storedContext } from "./mysql/routines";
import { createStoredCallingLower } from "./mysql/scriptCalls";
import { storedTriggers } from "./mysql/triggers";
import { readNspSchema } from "./nsp/schema";
import { relationName } from "./relationNames";
import { createFiring, firesSome, triggerNotes } from "./triggers/firing";
import type { Policy } from "./pg/schema/policies";
import { readRowSecurity, withRowSecurity } from "./pg/schema/rowSecurity";
import { readPgSchema, type PgSchemaReading } from "./pg/schema/schema";
import { createCallingLower } from "./pg/scriptCalls";
import type { Trigger } from "./pg/triggers/triggerDefinitions";
import { pgTriggers } from "./pg/triggers/triggerLowering";
import type { Replace } from "./dialectDetection/replaceStatements";
import { lowerRoutines, readRoutines, routineContext } from "./routines";
import type { ScannedFile } from "./scanFile";
import type { LowerSql } from "./script/state";
import type { Spelling } from "./text/spelling";

export interface Language {
  readonly lower: (spelling: Spelling) => LowerSql;
  /** As `lowerSql`, with a SELECT's outputs as conditions. */
  readonly lowerConditions: (spelling: Spelling) => LowerSql;
  schema(files: readonly ScannedFile[]): PgSchemaReading;
  routines(files: readonly ScannedFile[]): LanguageRoutines;
}

/** The routines of the files: their definitions are read once, and lowered for every schema. */
export interface LanguageRoutines {
  readonly notes: readonly Note[];
  lowered(around: RoutineSurroundings): LoweredRoutines;
}

export interface RoutineSurroundings {
  readonly table: (name: string) => Table | undefined;
  readonly view: (name: string) => Query | undefined;
  readonly note: (note: Note) => void;
  readonly spelling: Spelling;
  readonly triggers?: readonly Trigger[] | undefined;
  readonly policies?: readonly Policy[] | undefined;
}

export interface LoweredRoutines {
  /** Lowers statements of scripts, which may call the routines. */
  readonly calling: LowerSql;
  /** The routines as transactions. */
  readonly transactions: readonly Transaction[];
  /** Inserts triggers at the statements that fire them. */
  readonly firing?: Replace;
}

/** The language of a dialect. */
export function languageOf(dialect: Dialect, lowering: StatementLowering): Language {
  return dialect === "postgres" ? postgres(lowering) : other(dialect);
}

function postgres({ lower, pg }: StatementLowering): Language {
  return {
    lower: () => lower,
    lowerConditions: () => lower,
    schema: (files) => {
      const pieces = definitions(files);
      if (pg !== undefined) return readPgSchema(pieces, pg);
      return { ...readNspSchema(pieces), losses: [], view: () => undefined };
    },
    routines: (files) => {
      const routines = readRoutines(files, pg);
      return {
        notes: routines.notes,
        lowered: (around) => {
          if (pg === undefined) return { calling: lower, transactions: [] };
          const context = routineContext(routines, { pg, ...around });
          const calling = createCallingLower(lower, context);
          const { triggers = [], policies = [], note } = around;
          const ofTriggers = pgTriggers(context);
          const functionOf = ({ runs, runsIn }: Trigger) => {
            const run = context.routine(runs, 0, runsIn);
            return run?.isTrigger === true ? run : undefined;
          };
          triggerNotes(triggers, ofTriggers, functionOf).forEach(note);
          const security = readRowSecurity(policies, context);
          security.notes.forEach(note);
          const firing = (triggers.length > 0 || policies.length > 0) && {
            firing: withRowSecurity(createFiring(triggers, ofTriggers), security.guard),
          };
          return { calling, transactions: lowerRoutines(routines, context), ...firing };
        },
      };
    },
  };
}

function other(dialect: Dialect): Language {
  const lower: Language["lower"] = (spelling) => (context) =>
    lowerDialectStatement({ ...context, spelling }, dialect, "labels");
  const lowerConditions: Language["lowerConditions"] = (spelling) => (context) =>
    lowerDialectStatement({ ...context, spelling }, dialect, "conditions");
  const schema: Language["schema"] = (files) => readDialectSchema(definitions(files), dialect);
  if (dialect === "mysql" || dialect === "mariadb") {
    return { lower, lowerConditions, schema, routines: (files) => stored(files, lower, dialect) };
  }
  return {
    lower,
    lowerConditions,
    schema,
    routines: (files) => ({
      notes: files.flatMap((file) => unread(file)),
      lowered: ({ spelling }) => ({ calling: lower(spelling), transactions: [] }),
    }),
  };
}

/** Stored routines of MySQL and MariaDB. */
function stored(
  files: readonly ScannedFile[],
  lower: Language["lower"],
  dialect: Dialect,
): LanguageRoutines {
  const routines = readStoredRoutines(files);
  return {
    notes: routines.notes,
    lowered: (around) => {
      const triggers = routines.triggers.map((each) => ({
        ...each,
        table: relationName(
          { name: around.spelling(each.on.name), schema: each.on.schema },
          { dialect, table: around.table },
        ),
      }));
      const fires = (statement: Statement): boolean => firesSome(triggers, statement);
      const context = { ...storedContext(routines, around), fires };
      const calling = createStoredCallingLower(lower(around.spelling), context, dialect);
      const ofTriggers = storedTriggers(context);
      triggerNotes(triggers, ofTriggers).forEach(around.note);
      const firing = triggers.length > 0 && { firing: createFiring(triggers, ofTriggers) };
      return { calling, transactions: lowerStoredRoutines(routines, context), ...firing };
    },
  };
}

function definitions(files: readonly ScannedFile[]): readonly SqlPiece[] {
  return files.flatMap(({ lines, ddl }) =>
    ddl.map(({ start, end }) => plainPiece(lines, start, end)),
  );
}

function unread({ lines, routines, dialect }: ScannedFile): readonly Note[] {
  return routines.map(({ start, end }): Note => {
    const header = lines.text.slice(start, end).split(/\r?\n/, 1)[0] ?? "";
    const source = rangeOf(lines, start, start + header.length);
    const message = `Routines of ${dialectLabel(dialect)} are not read; this one was left out.`;
    return { severity: "warning", code: "routine-unread", message, source };
  });
}
