// Errors as the databases report them: SQLSTATE, MySQL's number, and what the message is about.
import { isStackOverflow } from "../protocol/fault";

export interface SqlError {
  /** The SQLSTATE. */
  readonly code: string;
  /** MySQL's and MariaDB's number. */
  readonly number: number;
  /** The SQLSTATE that MySQL gives, which is often a less precise one. */
  readonly mysqlState: string;
  readonly message: string;
  readonly detail?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly routine?: string;
  /** Where in the text: of what is no SQL the very place, else the start of its statement. */
  readonly position?: number;
}

/**
 * How an error leaves the evaluation of a statement. It is caught where the statement began (`session.ts`), and
 * becomes a value there.
 */
export class SqlFailure extends Error {
  readonly error: SqlError;
  constructor(error: SqlError) {
    super(error.message);
    this.error = error;
  }
}

/** The other subject of an error. */
export type ErrorParts = Omit<SqlError, "code" | "number" | "mysqlState" | "message">;

/** An error of the given kind, to be thrown. */
export function failure(kind: ErrorKind, message: string, parts: ErrorParts = {}): SqlFailure {
  const [code, number, mysqlState] = CODES[kind];
  return new SqlFailure({ code, number, mysqlState, message, ...parts });
}

/** A construct that this store does not have: the message names it. */
export function unsupported(what: string): SqlFailure {
  return failure("unsupported", `${what} is not supported by this store`);
}

/** As it is, save that a statement which nests too deeply for the stack is refused, not fatal. */
export function asSqlFailure(error: unknown): unknown {
  return isStackOverflow(error)
    ? failure("tooComplex", "the statement is nested too deeply for this store")
    : error;
}

export type ErrorKind = keyof typeof CODES;

/** SQLSTATE of PostgreSQL, number of MySQL, SQLSTATE of MySQL. */
const CODES = {
  syntax: ["42601", 1064, "42000"],
  unsupported: ["0A000", 1235, "42000"],
  noTable: ["42P01", 1146, "42S02"],
  noParentTable: ["42P01", 1824, "HY000"],
  badReference: ["42P01", 1005, "HY000"],
  tableExists: ["42P07", 1050, "42S01"],
  databaseExists: ["42P04", 1007, "HY000"],
  noDatabase: ["3D000", 1049, "42000"],
  noDatabaseToDrop: ["3D000", 1008, "HY000"],
  databaseInUse: ["55006", 1010, "HY000"],
  noColumn: ["42703", 1054, "42S22"],
  columnExists: ["42701", 1060, "42S21"],
  ambiguous: ["42702", 1052, "23000"],
  duplicateAlias: ["42712", 1066, "42000"],
  noFunction: ["42883", 1305, "42000"],
  noObject: ["42704", 1091, "42000"],
  noSetting: ["42704", 1193, "HY000"],
  noParameter: ["42P02", 1210, "HY000"],
  unknownParameterType: ["42P18", 1210, "HY000"],
  typeMismatch: ["42804", 1366, "HY000"],
  grouping: ["42803", 1055, "42000"],
  misplacedAggregate: ["42803", 1111, "HY000"],
  windowing: ["42P20", 3593, "HY000"],
  columnReference: ["42P10", 1054, "42S22"],
  columnCount: ["42601", 1136, "21S01"],
  operandColumns: ["42601", 1241, "21000"],
  unionColumns: ["42601", 1222, "21000"],
  manyRows: ["21000", 1242, "21000"],
  twice: ["21000", 1062, "23000"],
  duplicate: ["23505", 1062, "23000"],
  noParent: ["23503", 1452, "23000"],
  hasChildren: ["23503", 1451, "23000"],
  restricted: ["23001", 1451, "23000"],
  truncation: ["0A000", 1701, "42000"],
  dependent: ["2BP01", 3730, "HY000"],
  notNull: ["23502", 1048, "23000"],
  nullValue: ["22004", 1048, "22004"],
  noDefault: ["23502", 1364, "HY000"],
  check: ["23514", 3819, "HY000"],
  mariadbCheck: ["23514", 4025, "23000"],
  always: ["428C9", 3105, "HY000"],
  outOfRange: ["22003", 1264, "22003"],
  valueOutOfRange: ["22003", 1690, "22003"],
  tooLong: ["22001", 1406, "22001"],
  bitLength: ["22026", 1406, "22001"],
  badInput: ["22P02", 1366, "22007"],
  badTime: ["22007", 1292, "22007"],
  timeRange: ["22008", 1292, "22007"],
  truncated: ["22P02", 1265, "01000"],
  divisionByZero: ["22012", 1365, "22012"],
  badArgument: ["22023", 1210, "HY000"],
  badLimit: ["2201W", 1210, "HY000"],
  badOffset: ["2201X", 1210, "HY000"],
  badRegexp: ["2201B", 1139, "42000"],
  badPattern: ["22025", 1210, "HY000"],
  badCopy: ["22P04", 1261, "01000"],
  noThread: ["HY000", 1094, "HY000"],
  noStatement: ["26000", 1243, "HY000"],
  statementExists: ["42P05", 1210, "HY000"],
  noCursor: ["34000", 1326, "24000"],
  cursorExists: ["42P03", 1325, "24000"],
  badArray: ["2202E", 1210, "HY000"],
  badSubstring: ["22011", 1210, "HY000"],
  badJson: ["22P02", 3140, "22032"],
  raised: ["P0001", 1644, "45000"],
  noData: ["P0002", 1329, "02000"],
  manyData: ["P0003", 1172, "42000"],
  assertion: ["P0004", 1644, "45000"],
  resultSet: ["0A000", 1415, "0A000"],
  undeclared: ["42703", 1327, "42000"],
  xaInvalid: ["XAE05", 1398, "XAE05"],
  xaUnknown: ["XAE04", 1397, "XAE04"],
  xaState: ["XAE07", 1399, "XAE07"],
  xaOutside: ["XAE09", 1400, "XAE09"],
  xaRolledBack: ["XA100", 1402, "XA100"],
  xaKnown: ["XAE08", 1440, "XAE08"],
  undefinedCursor: ["34000", 1324, "42000"],
  fetchColumns: ["42601", 1328, "HY000"],
  noHandler: ["0Z002", 1645, "0K000"],
  argumentCount: ["42883", 1318, "42000"],
  outArgument: ["42601", 1414, "42000"],
  noReturn: ["2F005", 1321, "2F005"],
  noCase: ["20000", 1339, "20000"],
  routineExists: ["42723", 1304, "42000"],
  objectExists: ["42710", 1826, "HY000"],
  triggerExists: ["42710", 1359, "HY000"],
  noTrigger: ["42704", 1360, "HY000"],
  noSequence: ["42P01", 4091, "42S02"],
  sequenceLimit: ["2200H", 4084, "HY000"],
  badSequence: ["22023", 4082, "HY000"],
  notUpdatable: ["55000", 1288, "HY000"],
  notInsertable: ["55000", 1471, "HY000"],
  notChangeable: ["0A000", 1348, "HY000"],
  wrongObject: ["42809", 1347, "HY000"],
  noSavepoint: ["3B001", 1305, "42000"],
  outsideTransaction: ["25P01", 1305, "42000"],
  insideTransaction: ["25001", 1568, "25001"],
  failedTransaction: ["25P02", 1180, "HY000"],
  serialization: ["40001", 1213, "40001"],
  readOnly: ["25006", 1792, "25006"],
  noSequenceValue: ["55000", 1210, "HY000"],
  notReady: ["55000", 1210, "HY000"],
  lockTimeout: ["55P03", 1205, "HY000"],
  timedOut: ["57014", 3024, "HY000"],
  mariadbTimedOut: ["57014", 1969, "70100"],
  canceled: ["57014", 1317, "70100"],
  locked: ["55P03", 3572, "HY000"],
  tooComplex: ["54001", 1436, "HY000"],
  internal: ["XX000", 1105, "HY000"],
} as const satisfies Record<string, readonly [string, number, string]>;
