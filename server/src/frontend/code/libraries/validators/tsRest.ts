// Contracts of ts-rest: records of routes, which say what a request's body and parameters are.
import type { HandleValue, Value } from "../../values";
import type { Library } from "../library";
import { schemaType } from "./zod";

const TS_REST: Library = {
  name: "ts-rest",
  modules: [],
  call: ({ path }, { arguments: [first] }, tools) => {
    if (path === "initContract") return tools.handle("contract");
    return /^contract\.(?:router|query|mutation)$/u.test(path) ? first : undefined;
  },
};

/** The export of a module of ts-rest under a name; undefined for other modules. */
export function contractExport(from: string, name: string): HandleValue | undefined {
  const isContract = from === "@ts-rest/core" && name === "initContract";
  return isContract ? { kind: "handle", library: TS_REST, path: name } : undefined;
}

/** The parts of a request by what a route calls their schemas. */
const PARTS = [
  ["body", "body"],
  ["query", "query"],
  ["params", "pathParams"],
] as const;

/** The type of what the handler of a route is given, as far as its schemas say; undefined for what is no route. */
export function requestType(route: Value | undefined): string | undefined {
  if (route?.kind !== "object" || !route.fields.has("path")) return undefined;
  const members = PARTS.flatMap(([part, name]) => {
    const schema = route.fields.get(name)?.value;
    const type = schema && schemaType(schema);
    return type === undefined ? [] : [`${part}: ${type}`];
  });
  return members.length === 0 ? undefined : `{ ${members.join("; ")} }`;
}
