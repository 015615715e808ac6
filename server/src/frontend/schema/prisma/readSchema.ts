// From the files of a Prisma schema to its models and tables. Several files (a folder of them) are one schema.
import type { Dialect } from "../../../program/dialect";
import type { Note } from "../../../program/program";
import { dictionary } from "../../../protocol/dictionary";
import type { FileId, SourceRange } from "../../../protocol/source";
import { defaultSchema, homeOf, qualifiedName } from "../../sql/relationNames";
import { indexLines, rangeOf, type LineIndex } from "../../sql/text/lines";
import type { Span } from "../../sql/text/split";
import { argument, namesIn, textOf } from "./attributes";
import { readFields } from "./fields";
import { readKeys } from "./keys";
import type { PrismaDatasource, PrismaEnum, PrismaModel, PrismaSchema } from "./model";
import { joinedPath } from "./paths";
import { linkRelations } from "./relations";
import { parsePrisma, type PrismaBlock } from "./syntax";
import { tablesOf } from "./tables";
import type { ModelBlock, Say } from "./modelBlock";

interface PrismaFile {
  readonly file: FileId;
  readonly text: string;
}

/**
 * The schema that the files declare together. Never throws for bad input: unreadable and inconsistent parts are noted at their place.
 * Linear in the texts, except for relations between the same two models.
 */
export function readPrismaSchema(files: readonly PrismaFile[]): PrismaSchema {
  const notes: Note[] = [];
  const say: Say = (severity, message, source) => {
    notes.push({ severity, code: "prisma-schema", message, source });
  };
  const placed = files.flatMap(({ file, text }) => blocksOf(indexLines(file, text), say));
  const datasource = datasourceOf(placed, say);
  const enums = new Map<string, PrismaEnum>();
  const blocks = new Map<string, ModelBlock>();
  for (const { block, at } of placed) {
    if (!isDeclaration(block)) continue;
    const { text: name } = block.name;
    if (blocks.has(name) || enums.has(name)) {
      say("error", `"${name}" is declared twice; the first declaration counts.`, at(block.name));
    } else if (block.kind === "enum") enums.set(name, enumOf(block));
    else blocks.set(name, { block, table: mapped(block) ?? name, ...schemaOf(block), at });
  }
  const isRead = datasource === undefined || datasource.dialect !== undefined;
  const named = apart([...blocks.values()], datasource?.dialect ?? "postgres", say).filter(
    ({ block }) => block.kind !== "type",
  );
  const drafts = new Map(named.map((each) => [each.block.name.text, each] as const));
  const models = new Map<string, PrismaModel>();
  if (isRead) {
    for (const [name, draft] of drafts) {
      const fields = readFields(draft, { blocks, enums, dialect: datasource?.dialect, say });
      const keys = readKeys(draft, fields, say);
      const { block, table, schema, at } = draft;
      const place = { table, ...(schema !== undefined && { schema }) };
      const isHidden = block.attributes.some((each) => each.name === "ignore");
      const kind = block.kind === "view" ? "view" : "model";
      models.set(name, { name, kind, ...place, fields, keys, isHidden, source: at(block.header) });
    }
  }
  const linked = linkRelations(models, drafts, say);
  const integrity = integrityOf(placed);
  const tables = tablesOf(linked, drafts, integrity);
  return {
    ...(datasource && { datasource }),
    integrity,
    models: linked,
    enums,
    tables,
    outputs: outputsOf(placed),
    notes,
  };
}

type Declaration = Exclude<PrismaBlock, { readonly kind: "datasource" | "generator" }>;

function isDeclaration(block: PrismaBlock): block is Declaration {
  return block.kind !== "datasource" && block.kind !== "generator";
}

interface PlacedBlock {
  readonly block: PrismaBlock;
  readonly at: (span: Span) => SourceRange;
}

function blocksOf(lines: LineIndex, say: Say): readonly PlacedBlock[] {
  const at = ({ start, end }: Span): SourceRange => rangeOf(lines, start, end);
  const { blocks, problems } = parsePrisma(lines.text);
  for (const problem of problems) say("error", `${capital(problem.message)}.`, at(problem));
  return blocks.map((block) => ({ block, at }));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const DIALECTS = dictionary<Dialect>({
  postgresql: "postgres",
  postgres: "postgres",
  cockroachdb: "postgres",
  mysql: "mysql",
  sqlite: "sqlite",
  sqlserver: "sqlserver",
});

function datasourceOf(placed: readonly PlacedBlock[], say: Say): PrismaDatasource | undefined {
  const [found, second] = placed.filter(({ block }) => block.kind === "datasource");
  if (second !== undefined) {
    say(
      "error",
      "A schema has one datasource; the first one counts.",
      second.at(second.block.header),
    );
  }
  if (found?.block.kind !== "datasource") return undefined;
  const setting = found.block.settings.find(({ key }) => key.text === "provider");
  const given = setting && textOf(setting.value);
  if (setting === undefined || given === undefined) {
    const message = 'The datasource names no provider, as in provider = "postgresql".';
    say("warning", message, found.at(found.block.header));
    return undefined;
  }
  const source = found.at(setting);
  const provider = given.toLowerCase();
  const dialect = DIALECTS[provider];
  if (provider === "mongodb") {
    const message =
      "Models of MongoDB are not read: its transactions are no SQL, and nothing is said about them.";
    say("warning", message, source);
  } else if (dialect === undefined) {
    const known = Object.keys(DIALECTS).filter((each) => each !== "postgres");
    say("error", `"${given}" is no provider that is known: ${known.join(", ")}.`, source);
  }
  const isCockroach = provider === "cockroachdb";
  return { provider, ...(dialect && { dialect }), isCockroach, source };
}

function integrityOf(placed: readonly PlacedBlock[]): PrismaSchema["integrity"] {
  const modes = placed.flatMap(({ block }) =>
    block.kind === "datasource"
      ? block.settings.filter(({ key }) => /^(relationMode|referentialIntegrity)$/.test(key.text))
      : [],
  );
  return modes.some(({ value }) => textOf(value) === "prisma") ? "client" : "database";
}

function outputsOf(placed: readonly PlacedBlock[]): readonly string[] {
  return placed.flatMap(({ block, at }) => {
    if (block.kind !== "generator") return [];
    const of = (key: string): string | undefined => {
      const setting = block.settings.find((each) => each.key.text === key);
      return setting && textOf(setting.value);
    };
    const isClient = /^prisma-client(-js|-ts)?$/.test(of("provider") ?? "");
    const output = of("output");
    const { file } = at(block);
    return isClient && output !== undefined ? [joinedPath(file, output)] : [];
  });
}

function enumOf(block: Extract<PrismaBlock, { readonly kind: "enum" }>): PrismaEnum {
  const values = block.values.map(
    ({ name, attributes }) => [name.text, mapped({ attributes }) ?? name.text] as const,
  );
  return { name: block.name.text, values: new Map(values) };
}

function mapped({ attributes }: Pick<PrismaBlock, "attributes">): string | undefined {
  const map = attributes.find(({ name }) => name === "map");
  const value = map && argument(map, "name");
  return value && textOf(value);
}

function schemaOf({ attributes }: PrismaBlock): { readonly schema?: string } {
  const attribute = attributes.find(({ name }) => name === "schema");
  const schema = attribute && namesIn(attribute.arguments[0]?.value)[0];
  return schema === undefined ? {} : { schema };
}

/** Tables of one name in several database schemas go by these, except for that of the default schema. */
function apart(blocks: readonly ModelBlock[], dialect: Dialect, say: Say): readonly ModelBlock[] {
  const homes = new Map<string, Set<string>>();
  const taken = new Map<string, ModelBlock>();
  const declared = blocks.filter(({ block }) => block.kind !== "type");
  for (const each of declared) {
    const homesOfName = homes.get(each.table) ?? new Set();
    homes.set(each.table, homesOfName.add(homeOf(each, dialect)));
  }
  return blocks.map((each) => {
    if (each.block.kind === "type") return each;
    const { block, at } = each;
    const home = homeOf(each, dialect);
    const isPlain = home === defaultSchema(dialect) || homes.get(each.table)?.size === 1;
    const table = isPlain ? each.table : qualifiedName(home, each.table);
    const first = taken.get(table);
    if (first === undefined) {
      const own = { ...each, table };
      taken.set(table, own);
      return own;
    }
    const message = `"${block.name.text}" has the table of "${first.block.name.text}", "${table}".`;
    say("error", message, at(block.header));
    return { ...each, table: qualifiedName(block.name.text, table) };
  });
}
