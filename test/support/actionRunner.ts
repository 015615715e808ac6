// Runs the steps of a composite action as GitHub's runner does, as far as ours goes: inputs with their defaults, variables of a
// step, its script under bash, and its outputs. Steps that use other actions are told and not run.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface ActionRun {
  /** Exit code of the first step that failed, else 0. */
  readonly code: number;
  readonly out: string;
  readonly outputs: ReadonlyMap<string, string>;
  /** Actions that would be used, by their names. */
  readonly used: readonly string[];
}

interface Step {
  readonly variables: ReadonlyMap<string, string>;
  readonly script: string;
}

export interface Runner {
  readonly workspace: string;
  /** A folder of this run alone. */
  readonly temporary: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs the action of a file. Inputs that are not given have their defaults. */
export function runAction(
  file: string,
  inputs: Readonly<Record<string, string>>,
  { workspace, temporary, env }: Runner,
): ActionRun {
  const text = readFileSync(file, "utf8");
  const values = new Map([...defaultsOf(text), ...Object.entries(inputs)]);
  const outputFile = path.join(temporary, "outputs");
  writeFileSync(outputFile, "");
  let code = 0;
  let out = "";
  for (const { variables, script } of stepsOf(text)) {
    const given = [...variables].map(([name, value]): [string, string] => [
      name,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/gu, (_whole, input: string) => {
        const found = values.get(input);
        if (found === undefined) throw new Error(`There is no input ${input}.`);
        return found;
      }),
    ]);
    const run = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
      cwd: workspace,
      encoding: "utf8",
      env: {
        ...env,
        ...Object.fromEntries(given),
        GITHUB_OUTPUT: outputFile,
        RUNNER_TEMP: temporary,
      },
    });
    out += run.stdout + run.stderr;
    code ||= run.status ?? 1;
  }
  const outputs = new Map(
    readFileSync(outputFile, "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, name, value] = /^([\w-]+)=(.*)$/u.exec(line) ?? [];
        return name !== undefined && value !== undefined ? [[name, value] as const] : [];
      }),
  );
  const used = [...text.matchAll(/^ +uses: (\S+)$/gmu)].map(([, name = ""]) => name);
  return { code, out, outputs, used };
}

/** Inputs and their defaults, of a file that is written as prettier writes YAML. */
function defaultsOf(text: string): ReadonlyMap<string, string> {
  const block = /^inputs:\n((?: {2}.*\n)+)/mu.exec(text)?.[1] ?? "";
  const found = new Map<string, string>();
  for (const [, name = "", body = ""] of block.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n)+)/gmu)) {
    const value = /^ {4}default: (.*)$/mu.exec(body)?.[1];
    if (value !== undefined) found.set(name, value.replace(/^"(.*)"$/u, "$1"));
  }
  return found;
}

/** The steps that run a script of their own. */
function stepsOf(text: string): readonly Step[] {
  const block = text.slice(text.indexOf("  steps:\n"));
  return block
    .split(/^ {4}- /mu)
    .slice(1)
    .flatMap((step) => {
      const script = /^ {6}run: \|\n((?: {8}.*\n|\n)+)/mu.exec(step)?.[1];
      if (script === undefined) return [];
      const listed = /^ {6}env:\n((?: {8}.*\n)+)/mu.exec(step)?.[1] ?? "";
      const variables = new Map(
        [...listed.matchAll(/^ {8}(\w+): (.*)$/gmu)].map(([, name = "", value = ""]) => [
          name,
          value,
        ]),
      );
      return [{ variables, script: script.replace(/^ {8}/gmu, "") }];
    });
}
