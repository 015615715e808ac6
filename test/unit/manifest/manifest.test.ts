// Data that stands in several places is the same in all of them: commands, levels, kinds and their documentation.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import manifest from "../../../package.json";
import { TOOLS } from "../../../server/src/cli/mcp";
import { KINDS } from "../../../server/src/analysis/explain/kinds/kinds";
import { LEVELS } from "../../../server/src/isolation/levels";
import { FINDING_SEVERITIES, SEVERITY_KEYS } from "../../../server/src/workspace/severities";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

const sources = readdirSync(path.join(root, "client", "src", "features"))
  .map((file) => read(`client/src/features/${file}`))
  .join("\n");

describe("the manifest", () => {
  it("has the commands that the extension registers or names, all with the prefix", () => {
    const named = /(?:registerCommand\(\s*|command: )"(isolens\.[^"]+)"/gu;
    const registered = new Set([...sources.matchAll(named)].map(([, id]) => id));
    const contributed = manifest.contributes.commands.map((each) => each.command);
    assert.deepEqual([...contributed].sort(), [...registered].sort());
    for (const { category, title } of manifest.contributes.commands) {
      assert.equal(category, "Isolens");
      assert.match(title, /^[A-Z]/);
    }
  });

  it("binds keys to its own commands, and only where they mean something", () => {
    const commands = manifest.contributes.commands.map((each) => each.command);
    for (const { command, when } of manifest.contributes.keybindings) {
      assert.ok(commands.includes(command), command);
      assert.ok(when.length > 0);
    }
  });

  it("offers every level, in the settings and in isolens.json", () => {
    const names = LEVELS.map((level) => level.name);
    const [settings] = manifest.contributes.configuration;
    assert.deepEqual(settings?.properties["isolens.level"].enum, names);
    assert.equal(settings.properties["isolens.level"].enumDescriptions.length, names.length);
    const schema: unknown = JSON.parse(read("client/media/isolens.schema.json"));
    assert.ok(JSON.stringify(schema).includes(JSON.stringify(names).slice(1, -1)));
  });

  it("offers every kind with its severities, in the settings and in isolens.json", () => {
    const [settings] = manifest.contributes.configuration;
    const offered = settings?.properties["isolens.severities"].properties ?? {};
    assert.deepEqual(Object.keys(offered), SEVERITY_KEYS);
    for (const each of Object.values<{ readonly enum: readonly string[] }>(offered)) {
      assert.deepEqual(each.enum, FINDING_SEVERITIES);
    }
    const schema: unknown = JSON.parse(read("client/media/isolens.schema.json"));
    assert.ok(JSON.stringify(schema).includes(JSON.stringify(offered)));
  });

  it("shows its views, their icon and their commands", () => {
    const { views, viewsContainers, viewsWelcome, menus } = manifest.contributes;
    const [view] = views.isolens;
    const [container] = viewsContainers.activitybar;
    assert.equal(container?.id, "isolens");
    assert.ok(view && sources.includes(`"${view.id}"`));
    assert.match(read(container.icon), /stroke="currentColor"/u);
    const commands = manifest.contributes.commands.map((each) => each.command);
    const named = [...menus["view/title"], ...menus["view/item/context"], ...menus.commandPalette];
    for (const { command } of named) assert.ok(commands.includes(command), command);
    for (const { contents } of viewsWelcome) {
      for (const [, command = ""] of contents.matchAll(/\(command:([^)]+)\)/gu)) {
        assert.ok(commands.includes(command), command);
      }
    }
  });

  it("gives every colour for all four kinds of themes", () => {
    for (const { id, defaults } of manifest.contributes.colors) {
      const kinds = ["dark", "light", "highContrast", "highContrastLight"];
      assert.deepEqual(Object.keys(defaults).sort(), kinds.sort(), id);
    }
  });

  it("has the colours that the editor and the panel use", () => {
    const ids = manifest.contributes.colors.map((each) => each.id);
    const css = read("webview/src/styles/theme.css");
    const used = [
      ...[...sources.matchAll(/ThemeColor\("(isolens\.[^"]+)"/gu)].map(([, id]) => id),
      ...[...css.matchAll(/--vscode-isolens-(\w+)/gu)].map(([, id]) => `isolens.${id ?? ""}`),
    ];
    assert.deepEqual([...new Set(used)].sort(), [...ids].sort());
  });
});

describe("what the manifest offers beside commands", () => {
  const { contributes } = manifest;
  const properties = Object.keys(contributes.configuration[0]?.properties ?? {});
  const documents = readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => read(`docs/${name}`))
    .join("\n")
    .replaceAll(/\s+/gu, " ");

  it("is told in the documents: every command, setting and view", () => {
    const names = [
      ...contributes.commands.map(({ title }) => title.replace(/\.\.\.$/u, "")),
      ...properties,
      ...contributes.views.isolens.map(({ name }) => name),
      ...contributes.walkthroughs.map(({ title }) => title),
      ...contributes.languageModelTools.map(({ toolReferenceName }) => `#${toolReferenceName}`),
      ...contributes.problemMatchers.map(({ name }) => `$${name}`),
    ];
    assert.deepEqual(
      names.filter((name) => !documents.includes(name)),
      [],
    );
  });

  it("are the tools that assistants have by the command line, with the same arguments", () => {
    assert.deepEqual(
      contributes.languageModelTools.map(({ name, modelDescription, inputSchema }) => [
        name,
        modelDescription,
        Object.keys(inputSchema.properties),
        inputSchema.required,
      ]),
      TOOLS.map(({ name, description, properties: own, required }) => [
        `isolens_${name}`,
        description,
        Object.keys(own),
        required,
      ]),
    );
  });

  it("has files and commands of its walkthrough that are there", () => {
    const commands = contributes.commands.map((each) => each.command);
    for (const { steps } of contributes.walkthroughs) {
      assert.equal(steps.length, 3);
      for (const { description, media, completionEvents } of steps) {
        assert.ok(read("markdown" in media ? media.markdown : media.image).length > 0);
        const named = [
          ...[...description.matchAll(/\(command:([^)]+)\)/gu)].map(([, id = ""]) => id),
          ...completionEvents.map((event) => event.replace(/^onCommand:/u, "")),
        ];
        for (const id of named) {
          assert.ok(commands.includes(id) || id.startsWith("workbench."), id);
        }
      }
    }
  });
});

describe("docs/anomalies", () => {
  const page = (name: string): string => read(`docs/anomalies/${name}.md`).replaceAll(/\s+/gu, " ");

  it("has a page for every kind, with its title, definition and source", () => {
    for (const { name, title, definition, reference } of KINDS) {
      const text = page(name);
      assert.ok(text.startsWith(`# ${title} `), name);
      assert.ok(text.includes(`**Definition.** ${definition} ## Example`), name);
      assert.ok(text.includes(`## In the literature ${reference}.`), name);
      assert.match(text, /## Which levels let it through .+ ## What helps .+/u, name);
    }
  });

  it("links to nothing else", () => {
    const pages = readdirSync(path.join(root, "docs/anomalies")).sort();
    const names = [...KINDS.map((kind) => kind.name), "unknown"].map((name) => `${name}.md`);
    assert.deepEqual(pages, ["README.md", ...names].sort());
    for (const each of pages)
      for (const [, link = ""] of page(each.replace(/\.md$/u, "")).matchAll(
        /\]\(([a-z-]+\.md)\)/gu,
      ))
        assert.ok(names.includes(link), `${each}: ${link}`);
  });
});
