// The keys of a Prisma model, with the names that the client gives to those of several fields.
import { argument, namedArgument, placedNamesIn, textOf } from "./attributes";
import type { PrismaField, PrismaKey } from "./model";
import type { ModelBlock, Say } from "./modelBlock";

/** The primary key first, then unique keys in order. Keys with a condition are not among them: see `where` of migrations. */
export function readKeys(
  { block, at }: ModelBlock,
  fields: ReadonlyMap<string, PrismaField>,
  say: Say,
): readonly PrismaKey[] {
  const keys: PrismaKey[] = [];
  for (const { name, attributes } of block.fields) {
    for (const attribute of attributes) {
      const isPrimary = attribute.name === "id";
      if (!isPrimary && attribute.name !== "unique") continue;
      keys.push({ name: name.text, fields: [name.text], isPrimary });
    }
  }
  for (const attribute of block.attributes) {
    const isPrimary = attribute.name === "id";
    if (!isPrimary && attribute.name !== "unique") continue;
    const named = placedNamesIn(argument(attribute, "fields"));
    const names: string[] = [];
    for (const each of named) {
      const text = each.kind === "name" ? each.text : "";
      if (fields.get(text)?.kind === "scalar") names.push(text);
      else say("error", `"${block.name.text}" has no column "${text}".`, at(each));
    }
    if (names.length === 0 || names.length < named.length) continue;
    if (namedArgument(attribute, "where") !== undefined) {
      const message =
        "A unique key with a condition is taken from the migrations, which say it in SQL, not from here.";
      say("information", message, at(attribute));
      continue;
    }
    const given = namedArgument(attribute, "name");
    const alone = names.length === 1 ? names[0] : undefined;
    keys.push({
      name: (given && textOf(given)) ?? alone ?? names.join("_"),
      fields: names,
      isPrimary,
    });
  }
  const primary = keys.filter((key) => key.isPrimary);
  if (primary.length > 1) {
    say(
      "error",
      `"${block.name.text}" has two primary keys; the first one counts.`,
      at(block.header),
    );
  }
  if (keys.length === 0 && block.kind === "model") {
    const message = `"${block.name.text}" has no key: its rows cannot be told apart.`;
    say("warning", message, at(block.header));
  }
  const others = keys.filter((key) => !key.isPrimary);
  return [...primary.slice(0, 1), ...others];
}
