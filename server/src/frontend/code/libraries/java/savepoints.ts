// JDBC's savepoints: objects that stand for a name.
import { constantText, textOf, UNDEFINED, type HandleValue, type Value } from "../../values";
import type { Call, Tools } from "../library";

interface SavepointData {
  readonly savepoint: string;
}

/** Sets a savepoint; undefined where its name is only known when the program runs. */
export function newSavepoint(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [given] = call.arguments;
  const written = given ? constantText(given) : tools.fresh("sp");
  if (written === undefined) return undefined;
  // Names that are given and those that are not never meet.
  const savepoint = `${given ? "named" : "own"}_${written.replaceAll(/\W/gu, codeOf)}`;
  tools.sql(handle.connection, textOf(`SAVEPOINT ${savepoint}`), {}, call.source);
  const data: SavepointData = { savepoint };
  return tools.handle("Savepoint", data, handle.connection);
}

function codeOf(character: string): string {
  return `_${character.charCodeAt(0).toString(16)}_`;
}

/** Goes back to a savepoint of the same connection, or releases it; undefined where it is not known. */
export function toSavepoint(
  command: "ROLLBACK TO SAVEPOINT" | "RELEASE SAVEPOINT",
  { connection }: HandleValue,
  { arguments: [to], source }: Call,
  tools: Tools,
): Value | undefined {
  if (to?.kind !== "handle" || to.connection?.id !== connection?.id) return undefined;
  const data = to.data as Partial<SavepointData> | undefined;
  if (data?.savepoint === undefined) return undefined;
  tools.sql(connection, textOf(`${command} ${data.savepoint}`), {}, source);
  return UNDEFINED;
}
