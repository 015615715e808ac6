// The example programs of the repository as files.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface Example {
  readonly name: string;
  readonly level: string;
  readonly files: readonly ExampleFile[];
}

export interface ExampleFile {
  readonly name: string;
  readonly text: string;
}

const APPS = path.resolve(__dirname, "../../apps");

/** Those with the given names, or all of them. */
export function examples(names: readonly string[] = readdirSync(APPS).sort()): readonly Example[] {
  return names.map((name) => {
    const folder = path.join(APPS, name);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:sql|ts|java|prisma)$/.test(file))
      .sort()
      .map((file) => ({ name: file, text: readFileSync(path.join(folder, file), "utf8") }));
    const level = name.endsWith("-mysql") ? "mysql:repeatable-read" : "postgres:read-committed";
    return { name, level, files };
  });
}
