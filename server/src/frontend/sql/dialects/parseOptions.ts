// Table options of MySQL and MariaDB: engine, collation, partitions.
import { peek, skipParentheses, take, wordAt, type Reader } from "./reader";

/** An option that affects behaviour. Options about space, speed and files are skipped. */
export type TableOption =
  | { readonly kind: "engine" | "collation" | "charset"; readonly name: string }
  /** Anything else, as written. */
  | { readonly kind: "other"; readonly text: string };

/** Comparison of texts: bytewise, or ignoring case and the like. */
export type TextCollation = "bytes" | "letters";

/** The text comparison of an option: a collation overrides an earlier character set. */
export function collationAfter(
  before: TextCollation | undefined,
  option: TableOption | undefined,
): TextCollation | undefined {
  if (option?.kind === "collation")
    return /(?:^binary|_bin|_cs)$/.test(option.name) ? "bytes" : "letters";
  if (option?.kind === "charset") return option.name === "binary" ? "bytes" : "letters";
  return before;
}

/** The options up to the end of the definition, or to its query. */
export function tableOptions(reader: Reader): readonly TableOption[] {
  const options: TableOption[] = [];
  if (!isOfMysql(reader)) return options;
  while (
    peek(reader) !== undefined &&
    !/^(select|with|as|ignore|replace|\()$/.test(wordAt(reader))
  ) {
    const option = tableOption(reader);
    if (option !== undefined) options.push(option);
  }
  if (wordAt(reader) === "with" && wordAt(reader, 1) === "system") {
    reader.at += 3;
    options.push({ kind: "other", text: "WITH SYSTEM VERSIONING" });
  }
  return options;
}

/** The options in one part of ALTER TABLE: CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin. */
export function changedOptions(reader: Reader): readonly TableOption[] {
  const options: TableOption[] = [];
  if (!isOfMysql(reader)) return options;
  while (peek(reader) !== undefined && wordAt(reader) !== ",") {
    const option = tableOption(reader);
    if (option !== undefined) options.push(option);
  }
  return options;
}

function isOfMysql({ dialect }: Reader): boolean {
  return dialect === "mysql" || dialect === "mariadb";
}

/** One option; undefined for an irrelevant one, and if there is none. */
export function tableOption(reader: Reader): TableOption | undefined {
  take(reader, "default");
  const word = wordAt(reader);
  if (peek(reader) === undefined) return undefined;
  switch (word) {
    case "engine":
    case "type":
      return { kind: "engine", name: value(reader, 1) };
    case "collate":
      return { kind: "collation", name: value(reader, 1) };
    case "charset":
      return { kind: "charset", name: value(reader, 1) };
    case "character":
      return { kind: "charset", name: value(reader, 2) };
    case "partition":
    case "partitions":
    case "subpartition":
      skipRest(reader);
      return { kind: "other", text: "PARTITION BY" };
    case ",":
    case "convert":
      reader.at++;
      if (take(reader, "to")) return tableOption(reader);
      return undefined;
    default:
      break;
  }
  if (QUIET.has(word)) {
    const words = TWO_WORDS.has(word) && wordAt(reader, 1) === "directory" ? 2 : 1;
    value(reader, words);
    return undefined;
  }
  value(reader, 1);
  return { kind: "other", text: word === "" ? "an option" : word.toUpperCase() };
}

/** The rest after an option's words, folded. */
function value(reader: Reader, words: number): string {
  reader.at += words;
  take(reader, "=");
  const lexeme = peek(reader);
  if (wordAt(reader) === "(") skipParentheses(reader);
  else if (lexeme !== undefined && wordAt(reader) !== ",") reader.at++;
  return lexeme?.word.toLowerCase() ?? "";
}

function skipRest(reader: Reader): void {
  while (peek(reader) !== undefined && !/^(select|with)$/.test(wordAt(reader))) {
    if (wordAt(reader) === "(") skipParentheses(reader);
    else reader.at++;
  }
}

const TWO_WORDS = new Set(["data", "index"]);

/** Options and changes of a table that affect neither results nor locks. */
const QUIET = new Set(
  (
    "auto_increment avg_row_length checksum table_checksum comment compression data index delay_key_write encryption " +
    "encrypted encryption_key_id insert_method key_block_size max_rows min_rows pack_keys page_checksum password " +
    "page_compressed page_compression_level row_format stats_auto_recalc stats_persistent stats_sample_pages tablespace " +
    "storage transactional autoextend_size secondary_engine itef_quotes algorithm lock force order by disable enable keys " +
    "wait nowait discard import check optimize analyze rebuild"
  ).split(" "),
);
