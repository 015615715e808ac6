// The parts of the documents that data says: `<!-- generated: NAME -->` to `<!-- end -->`. `npm run docs` writes them, a
// test holds them against the data.
import { readFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import manifest from "../../package.json";
import { helpText } from "../../server/src/cli/arguments";
import { LIBRARIES } from "../../server/src/frontend/code/libraries/libraries";
import { UNREAD } from "../../server/src/frontend/code/libraries/unread";
import { UNSUPPORTED_NAMES } from "../../server/src/frontend/code/libraries/unsupported";
import { basisOf } from "../../server/src/isolation/levelBasis";
import { LEVELS } from "../../server/src/isolation/levels";

export const ROOT = path.resolve(__dirname, "../..");

/** Documents with generated parts. */
export const GENERATED: readonly string[] = [
  "docs/cli.md",
  "docs/configuration.md",
  "docs/editor.md",
  "docs/levels.md",
  "docs/reading-code.md",
];

const PARTS: ReadonlyMap<string, () => string> = new Map([
  ["help", () => `\`\`\`text\n${usage()}\n\`\`\``],
  ["configuration", configuration],
  ["commands", commands],
  ["settings", settings],
  ["levels", levels],
  ["libraries", libraries],
  ["unsupported", unsupported],
]);

/** The document with its generated parts as the data has them now. Throws for a part that nobody makes. */
export async function regenerated(text: string): Promise<string> {
  const written = text.replaceAll(
    /<!-- generated: (\w+) -->\n.*?<!-- end -->/gsu,
    (_whole, name: string) => {
      const part = PARTS.get(name);
      if (part === undefined) throw new Error(`nothing generates "${name}"`);
      return `<!-- generated: ${name} -->\n\n${part()}\n\n<!-- end -->`;
    },
  );
  const style = await resolveConfig(path.join(ROOT, "docs/cli.md"));
  return format(written, { ...style, parser: "markdown" });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The help without the list of levels, which has a page of its own. */
function usage(): string {
  const [text = ""] = helpText().split("\nLevels:");
  return text.trimEnd();
}

function commands(): string {
  const { commands: all, keybindings } = manifest.contributes;
  return table(
    ["command", "key"],
    all.map(({ command, title, category }) => {
      const bound = keybindings.find((each) => each.command === command);
      return [`${category}: ${title}`, bound ? `\`${bound.key}\`` : ""];
    }),
  );
}

function settings(): string {
  return table(
    ["setting", "default", "meaning"],
    manifest.contributes.configuration
      .flatMap(({ properties }) => Object.entries(properties))
      .map(([name, property]) => {
        const { default: usual } = property;
        const meaning =
          "markdownDescription" in property ? property.markdownDescription : property.description;
        return [`\`${name}\``, `\`${JSON.stringify(usual)}\``, meaning];
      }),
  );
}

function levels(): string {
  return table(
    ["level", "what it promises", "rests on"],
    LEVELS.map((level) => [
      `\`${level.name}\``,
      `${level.label}. ${level.summary}`,
      EVIDENCE[basisOf(level).evidence],
    ]),
  );
}

const EVIDENCE = {
  axioms: "axioms",
  measured: "measured",
  predicted: "documentation",
} as const;

function libraries(): string {
  const read = LIBRARIES.filter((each) => each !== UNREAD);
  return table(
    ["library", "imported as"],
    read.map(({ name, modules }) => [
      name,
      modules
        .filter((each) => !modules.some((above) => each.startsWith(`${above}/`)))
        .map((each) => `\`${each}\``)
        .join(", "),
    ]),
  );
}

function unsupported(): string {
  return table(
    ["language", "libraries"],
    [...UNSUPPORTED_NAMES].map(([language, names]) => [language, names.join(", ")]),
  );
}

function configuration(): string {
  const text = readFileSync(path.join(ROOT, "client/media/isolens.schema.json"), "utf8");
  const schema: unknown = JSON.parse(text);
  return table(
    ["setting", "meaning"],
    Object.entries(entryOf(schema, "properties") ?? {}).flatMap(([name, of]) => {
      const meaning = entryOf(of, "description");
      return typeof meaning === "string" ? [[`\`${name}\``, meaning]] : [];
    }),
  );
}

function entryOf(value: unknown, name: string): unknown {
  return new Map<string, unknown>(Object.entries(value ?? {})).get(name);
}
