// `isolens mcp`: a server of the Model Context Protocol on standard input and output, for assistants. Its tools are commands of this
// command line; they read files and write none. One JSON-RPC message per line.
import path from "node:path";
import { createInterface } from "node:readline";
import { KINDS } from "../analysis/explain/kinds/kinds";
import { LEVELS } from "../isolation/levels";
import { reasonOf } from "../protocol/fault";
import { VERSION } from "./version";

/** Runs a command line; resolves with its exit code and output. */
export type RunCommand = (
  argv: readonly string[],
) => Promise<{ readonly code: number; readonly out: string; readonly error: string }>;

export interface McpStreams {
  readonly input: NodeJS.ReadableStream;
  readonly write: (line: string) => void;
}

interface Tool {
  readonly name: string;
  readonly description: string;
  /** Arguments with their descriptions, all texts; those in `required` are mandatory. */
  readonly properties: Readonly<Record<string, string>>;
  readonly required: readonly string[];
  readonly run: (given: Given, run: RunCommand) => Promise<string>;
}

type Given = (name: string) => string | undefined;

const PATH = "Absolute path of a file or folder with SQL or application code.";
const LEVEL = "An isolation level such as postgres:read-committed; by default the configured one.";
const ANOMALY = "The id of an anomaly, as the tool check tells it.";

/** All tools; the extension offers the same. */
export const TOOLS: readonly Tool[] = [
  {
    name: "check",
    description:
      "Finds what an isolation level lets through between the transactions of a file or folder: lost updates, write skew, phantoms and others, each executed before it is told. The answer says what was not decided.",
    properties: { path: PATH, level: LEVEL },
    required: ["path"],
    run: (given, run) => outputOf(run, ["check", ...commonArguments(given)]),
  },
  {
    name: "show",
    description: "Tells one anomaly step by step: statements, values, and why the level allows it.",
    properties: { path: PATH, level: LEVEL, anomaly: ANOMALY },
    required: ["path", "anomaly"],
    run: (given, run) =>
      outputOf(run, ["show", ...commonArguments(given), `--anomaly=${given("anomaly") ?? ""}`]),
  },
  {
    name: "fix",
    description:
      "Looks for edits that remove an anomaly; each was applied, read and searched again. Shows them and writes nothing.",
    properties: { path: PATH, level: LEVEL, anomaly: ANOMALY },
    required: ["path", "anomaly"],
    run: (given, run) =>
      outputOf(run, [
        "fix",
        ...commonArguments(given),
        `--anomaly=${given("anomaly") ?? ""}`,
        "--dry-run",
      ]),
  },
  {
    name: "explain",
    description: "Says what a kind of anomaly (lost-update) or an isolation level is.",
    properties: { name: "The name of a kind or of a level." },
    required: ["name"],
    run: (given) => Promise.resolve(explanation(given("name") ?? "")),
  },
];

function commonArguments(given: Given): readonly string[] {
  const level = given("level");
  // The path is absolute and the level is joined to its option, so that no value is taken for an option.
  return [path.resolve(given("path") ?? ""), ...(level === undefined ? [] : [`--level=${level}`])];
}

/** The output of the command; a failure is a tool error. */
async function outputOf(run: RunCommand, argv: readonly string[]): Promise<string> {
  const { code, out, error } = await run(argv);
  if (out === "" && code !== 0) throw new Error(error.trim());
  return [out, error].filter((each) => each !== "").join("\n");
}

function explanation(name: string): string {
  const kind = KINDS.find((each) => each.name === name);
  if (kind) return `${kind.title}: ${kind.definition}`;
  const level = LEVELS.find((each) => each.name === name);
  if (level) return `${level.label}: ${level.summary}`;
  const names = [...KINDS, ...LEVELS].map((each) => each.name);
  throw new Error(`There is no kind or level "${name}"; there are ${names.join(", ")}.`);
}

/** Serves until the input ends; requests are answered in order. */
export async function serveMcp({ input, write }: McpStreams, run: RunCommand): Promise<void> {
  for await (const line of createInterface({ input })) {
    if (line.trim() === "") continue;
    const answer = await answerTo(line, run);
    if (answer) write(`${JSON.stringify({ jsonrpc: "2.0", ...answer })}\n`);
  }
}

/** Supported protocol versions; the first is the default. */
const VERSIONS = ["2025-06-18", "2025-03-26", "2024-11-05"] as const;

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The answer to a message; undefined for notifications. */
async function answerTo(line: string, run: RunCommand): Promise<Answer | undefined> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return { id: null, error: { code: -32700, message: "this line is no JSON" } };
  }
  const [id, method, params] = [
    field(message, "id"),
    field(message, "method"),
    field(message, "params"),
  ];
  if (id === undefined) return undefined;
  switch (method) {
    case "initialize": {
      const asked = field(params, "protocolVersion");
      return {
        id,
        result: {
          protocolVersion: VERSIONS.find((each) => each === asked) ?? VERSIONS[0],
          capabilities: { tools: {} },
          serverInfo: { name: "isolens", version: VERSION },
        },
      };
    }
    case "ping":
      return { id, result: {} };
    case "tools/list":
      return { id, result: { tools: TOOLS.map(listed) } };
    case "tools/call":
      return { id, ...(await called(params, run)) };
    default:
      return { id, error: { code: -32601, message: `there is no method ${String(method)}` } };
  }
}

function listed({ name, description, properties, required }: Tool): unknown {
  const texts = Object.entries(properties).map(
    ([key, about]) => [key, { type: "string", description: about }] as const,
  );
  return {
    name,
    description,
    inputSchema: { type: "object", properties: Object.fromEntries(texts), required },
    annotations: { readOnlyHint: true },
  };
}

async function called(params: unknown, run: RunCommand): Promise<Omit<Answer, "id">> {
  const tool = TOOLS.find(({ name }) => name === field(params, "name"));
  if (!tool) {
    const names = TOOLS.map(({ name }) => name).join(", ");
    return { error: { code: -32602, message: `there is no such tool; there are ${names}` } };
  }
  const given: Given = (name) => {
    const value = field(field(params, "arguments"), name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const missing = tool.required.filter((name) => given(name) === undefined);
  if (missing.length > 0)
    return { error: { code: -32602, message: `${tool.name} needs ${missing.join(" and ")}` } };
  try {
    return { result: content(await tool.run(given, run)) };
  } catch (error) {
    return { result: { ...content(reasonOf(error)), isError: true } };
  }
}

function content(text: string): { readonly content: readonly unknown[] } {
  return { content: [{ type: "text", text }] };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
