// An anomaly as text for other places: a sequence diagram in Mermaid's notation, and a description in Markdown.
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { Story, StoryStep } from "./story";

/** A sequence diagram: each transaction is a participant, its steps are notes, dependencies are arrows. */
export function mermaidOf({ instances, steps, edges, payload }: Story): string {
  const participants = instances.map(
    ({ name, transaction }) =>
      `  participant ${name} as ${escaped(`${name} ${transaction}`.trim())}`,
  );
  const notes = steps.map(({ step, index }) => {
    const because = step.because === "" ? "" : `<br/>(${escaped(step.because)})`;
    return `  Note over ${step.instance}: ${String(index + 1)}. ${escaped(step.effect)}${because}`;
  });
  const dependencies = edges.map(
    ({ edge, data }) =>
      `  ${edge.from.instance}-->>${edge.to.instance}: ${edge.dependency} ${escaped(data)}`,
  );
  return [
    "sequenceDiagram",
    `  %% ${escaped(payload.title)} at ${payload.level.label}`,
    ...participants,
    ...notes,
    ...dependencies,
    "",
  ].join("\n");
}

/** For a pull request: the sentence, the steps with their statements, and the diagram. */
export function markdownOf(story: Story): string {
  const { payload, steps } = story;
  const { anomaly } = payload;
  const labels = anomaly.preventedBy.map((name) => ownEntry(payload.labels, name) ?? name);
  return [
    `### ${payload.title} at ${payload.level.label}`,
    "",
    plain(anomaly.message),
    "",
    ...steps.map(stepText),
    "",
    ...(labels.length > 0 ? [`Prevented at ${labels.join(", ")}.`, ""] : []),
    "```mermaid",
    mermaidOf(story).trimEnd(),
    "```",
    "",
  ].join("\n");
}

function stepText({ step, index, instance }: StoryStep): string {
  const place = step.file === "" ? "" : ` (${step.file}:${String(step.range.start.line + 1)})`;
  const code =
    typeof step.statement === "number" && step.text !== ""
      ? `\n   \`${step.text.replace(/\s+/gu, " ").replaceAll("`", "'")}\``
      : "";
  const because = step.because === "" ? "" : `, ${plain(step.because)}`;
  return `${String(index + 1)}. **${instance.name}** ${plain(step.effect)}${because}${place}${code}`;
}

/** Text escaped for Markdown. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/gu, "\\$&");
}

/** Text escaped for a line of a Mermaid diagram. */
function escaped(text: string): string {
  return text
    .replace(/\s+/gu, " ")
    .replace(/[#;<>"{}]/gu, (character) => `#${String(character.codePointAt(0) ?? 32)};`);
}
