// Files of `isolens.models/`: drivers and wrappers described by the workspace, in the form of our own models.
import type {
  ClientModel,
  DriverModel,
  Effect,
  Result,
} from "../frontend/code/libraries/driverModel";
import { RESULT_PARTS } from "../frontend/code/libraries/driverModel";
import type { Note } from "../program/program";
import { dictionary } from "../protocol/dictionary";
import type { FileId } from "../protocol/source";
import { unknownText, wrong, wrongFile } from "./configuration";
import type { ConfigurationProblem } from "./configuration";
import { parseJson, type JsonEntry, type JsonValue } from "./json";

/** True for a model file, by its path with slashes. */
export function isModelFile(file: string): boolean {
  return /(?:^|\/)isolens\.models\/[^/]+\.json$/u.test(file);
}

export interface DescribedLibraries {
  readonly models: readonly DriverModel[];
  /** Notes on the files. A file with an error is ignored. */
  readonly notes: readonly Note[];
}

/** The models of all files. If several describe one package none is used, and the later ones are reported. Linear in the texts. */
export function describedLibraries(
  files: readonly { readonly file: FileId; readonly text: string }[],
): DescribedLibraries {
  const notes: Note[] = [];
  const owners = new Map<string, FileId>();
  const doubled = new Set<string>();
  const models = files.flatMap(({ file, text }) => {
    const { model, modules, problems } = parseModelFile(text);
    for (const { message, range } of problems)
      notes.push({ severity: "error", code: "model", message, source: { file, range } });
    for (const { name, value } of modules) {
      const owner = owners.get(name);
      owners.set(name, owner ?? file);
      if (owner === undefined) continue;
      doubled.add(name);
      const message = `"${name}" is described in ${owner} as well: neither is used`;
      const source = { file, range: value.range };
      notes.push({ severity: "error", code: "model", message, source });
    }
    return model ?? [];
  });
  return { models: models.filter((each) => !each.modules.some((one) => doubled.has(one))), notes };
}

/** A file's model and its problems; with a problem there is no model. */
export function parseModelFile(text: string): {
  readonly model?: DriverModel;
  /** The described packages, with their places. */
  readonly modules: readonly { readonly name: string; readonly value: JsonValue }[];
  readonly problems: readonly ConfigurationProblem[];
} {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const { message, range } = parsed;
    return { modules: [], problems: [{ severity: "error", message, range }] };
  }
  const problems: ConfigurationProblem[] = [];
  const model = readModel(parsed.value, problems);
  const entries = parsed.value.kind === "object" ? parsed.value.entries : [];
  const named = entries.find(({ key }) => key === "modules")?.value;
  const modules = (named?.kind === "array" ? named.items : []).flatMap((value) =>
    value.kind === "string" ? [{ name: value.value, value }] : [],
  );
  return { modules, problems, ...(model && problems.length === 0 && { model }) };
}

type Problems = ConfigurationProblem[];
type Entries = ReadonlyMap<string, JsonValue>;

function readModel(value: JsonValue, problems: Problems): DriverModel | undefined {
  if (value.kind !== "object") {
    problems.push(wrongFile(value, "a model", 'an object, as { "modules": ["..."], ... }'));
    return undefined;
  }
  const entries = entriesOf(value, ["$schema", "name", "modules", "clients", "methods", "callbacks"], problems); // prettier-ignore
  const modules = textsIn(entries.get("modules"), "modules", problems);
  const clients = recordIn(entries.get("clients"), "clients", problems, clientIn);
  const methods = recordIn(entries.get("methods"), "methods", problems, (each, of) =>
    effectIn(each, of, new Set(Object.keys(clients))),
  );
  const name = textIn(entries.get("name"), "name", problems);
  for (const key of ["modules", "clients", "methods"])
    if (!entries.has(key)) missing(value, key, problems);
  if (entries.get("methods")) checkOwners(entries.get("methods"), clients, problems);
  const callbacks = flagIn(entries.get("callbacks"), "callbacks", problems);
  return {
    name: name ?? modules[0] ?? "",
    modules,
    clients,
    methods,
    ...(callbacks !== undefined && { callbacks }),
  };
}

/** `pool|client: query`: the names before the colon are clients; without a colon, all are functions of the module. */
function checkOwners(
  methods: JsonValue | undefined,
  clients: Readonly<Record<string, ClientModel>>,
  problems: Problems,
): void {
  if (methods?.kind !== "object") return;
  for (const { key, keyRange } of methods.entries) {
    const [owners = ""] = key.includes(": ") ? key.split(": ") : [];
    const [first = "", ...others] = key.split(/[\s:]+/u);
    if (
      owners === "" &&
      others.length > 0 &&
      first.split("|").every((each) => Object.hasOwn(clients, each))
    ) {
      const message = `methods of a client stand behind a colon and a space: "${first}: ${others.join(" ")}"`;
      problems.push({ severity: "error", message, range: keyRange });
    }
    for (const owner of owners.split("|").filter((each) => each !== "")) {
      if (Object.hasOwn(clients, owner)) continue;
      const message = unknownText("client", owner, Object.keys(clients));
      problems.push({ severity: "error", message, range: keyRange });
    }
  }
}

function clientIn(value: JsonValue, problems: Problems): ClientModel | undefined {
  const entries = entriesOf(value, ["kind", "types", "made", "exported", "isPerhapsOne", "as"], problems); // prettier-ignore
  const kind = choiceIn(entries.get("kind"), "kind", ["pool", "connection"] as const, problems);
  if (!entries.has("kind") && value.kind === "object") missing(value, "kind", problems);
  const lists = ["types", "made", "exported"] as const;
  const texts = lists.flatMap((key) =>
    entries.has(key) ? [[key, textsIn(entries.get(key), key, problems)] as const] : [],
  );
  const as = textIn(entries.get("as"), "as", problems);
  const isPerhapsOne = flagIn(entries.get("isPerhapsOne"), "isPerhapsOne", problems);
  if (kind === undefined) return undefined;
  return {
    kind,
    ...Object.fromEntries(texts),
    ...(as !== undefined && { as }),
    ...(isPerhapsOne !== undefined && { isPerhapsOne }),
  };
}

/** The required and allowed keys of an effect beside its kind. */
const EFFECTS = dictionary<{ readonly needs: readonly string[]; readonly takes: readonly string[] }>({
  nothing: { needs: [], takes: [] },
  done: { needs: [], takes: [] },
  begin: { needs: [], takes: [] },
  commit: { needs: [], takes: [] },
  rollback: { needs: [], takes: [] },
  argument: { needs: [], takes: [] },
  itself: { needs: [], takes: ["client"] },
  client: { needs: ["client"], takes: [] },
  open: { needs: ["client"], takes: ["level"] },
  prepare: { needs: ["client"], takes: [] },
  batch: { needs: ["result"], takes: [] },
  sql: { needs: ["result"], takes: ["changed", "isRequired", "parameters"] },
  scope: { needs: ["client", "isTransaction"], takes: ["isNested", "level", "isWrapper"] },
}); // prettier-ignore

/** `"commit"` is short for `{ "kind": "commit" }`. */
function effectIn(
  value: JsonValue,
  problems: Problems,
  clients: ReadonlySet<string>,
): Effect | undefined {
  const kindValue =
    value.kind === "object" ? value.entries.find(({ key }) => key === "kind")?.value : value;
  if (kindValue?.kind !== "string") {
    problems.push(wrong(kindValue ?? value, "an effect", 'a name, or an object with a "kind"'));
    return undefined;
  }
  const kind = kindValue.value;
  const form = EFFECTS[kind];
  if (!form) {
    const message = unknownText("effect", kind, Object.keys(EFFECTS));
    problems.push({ severity: "error", message, range: kindValue.range });
    return undefined;
  }
  const known = ["kind", ...form.needs, ...form.takes];
  const entries =
    value.kind === "object" ? entriesOf(value, known, problems) : new Map<string, JsonValue>();
  for (const key of form.needs) if (!entries.has(key)) missing(value, key, problems);
  const read = (key: string): JsonValue | undefined => entries.get(key);
  const client = textIn(read("client"), "client", problems);
  const named = read("client");
  if (client !== undefined && named && !clients.has(client)) {
    const message = unknownText("client", client, [...clients]);
    problems.push({ severity: "error", message, range: named.range });
  }
  const level = textIn(read("level"), "level", problems);
  const result = resultIn(read("result"), problems);
  const changed = resultIn(read("changed"), problems);
  const flags = (["isRequired", "isTransaction", "isNested", "isWrapper"] as const).flatMap((key) => {
    const flag = flagIn(read(key), key, problems);
    return flag === undefined ? [] : [[key, flag] as const];
  }); // prettier-ignore
  const parameters = choiceIn(read("parameters"), "parameters", ["rest"] as const, problems);
  const whole: object = {
    kind,
    ...(client !== undefined && { client }),
    ...(level !== undefined && { level }),
    ...(result !== undefined && { result }),
    ...(changed !== undefined && { changed }),
    ...(parameters !== undefined && { parameters }),
    ...Object.fromEntries(flags),
  };
  // The schema check has reported missing keys; an effect with a problem is not used.
  return whole as Effect;
}

function resultIn(value: JsonValue | undefined, problems: Problems): Result | undefined {
  if (value?.kind === "array") return value.items.flatMap((each) => resultIn(each, problems) ?? []);
  if (value?.kind === "object") return recordIn(value, "result", problems, resultIn);
  return choiceIn(value, "result", RESULT_PARTS, problems);
}

function entriesOf(value: JsonValue, known: readonly string[], problems: Problems): Entries {
  if (value.kind !== "object") {
    problems.push(wrong(value, "this", "an object"));
    return new Map();
  }
  for (const { key, keyRange } of value.entries) {
    if (known.includes(key)) continue;
    problems.push({ severity: "error", message: unknownText("key", key, known), range: keyRange });
  }
  return new Map(value.entries.map(({ key, value: of }: JsonEntry) => [key, of]));
}

function missing({ range }: JsonValue, key: string, problems: Problems): void {
  problems.push({ severity: "error", message: `"${key}" is missing`, range });
}

function recordIn<Read>(
  value: JsonValue | undefined,
  what: string,
  problems: Problems,
  read: (each: JsonValue, problems: Problems) => Read | undefined,
): Readonly<Record<string, Read>> {
  if (value === undefined) return {};
  if (value.kind !== "object") {
    problems.push(wrong(value, `"${what}"`, "an object"));
    return {};
  }
  return Object.fromEntries(
    value.entries.flatMap(({ key, value: of }) => {
      const one = read(of, problems);
      return one === undefined ? [] : [[key, one] as const];
    }),
  );
}

function textsIn(
  value: JsonValue | undefined,
  what: string,
  problems: Problems,
): readonly string[] {
  if (value === undefined) return [];
  if (value.kind !== "array") {
    problems.push(wrong(value, `"${what}"`, "a list of texts"));
    return [];
  }
  return value.items.flatMap((each) => textIn(each, what, problems) ?? []);
}

function textIn(
  value: JsonValue | undefined,
  what: string,
  problems: Problems,
): string | undefined {
  if (value === undefined || value.kind === "string") return value?.value;
  problems.push(wrong(value, `"${what}"`, "a text"));
  return undefined;
}

function flagIn(
  value: JsonValue | undefined,
  what: string,
  problems: Problems,
): boolean | undefined {
  if (value === undefined || value.kind === "boolean") return value?.value;
  problems.push(wrong(value, `"${what}"`, "true or false"));
  return undefined;
}

function choiceIn<Choice extends string>(
  value: JsonValue | undefined,
  what: string,
  choices: readonly Choice[],
  problems: Problems,
): Choice | undefined {
  if (value === undefined) return undefined;
  const chosen = value.kind === "string" ? choices.find((each) => each === value.value) : undefined;
  if (chosen === undefined) {
    const written = value.kind === "string" ? value.value : "";
    const message = unknownText(what, written, choices);
    problems.push({ severity: "error", message, range: value.range });
  }
  return chosen;
}
