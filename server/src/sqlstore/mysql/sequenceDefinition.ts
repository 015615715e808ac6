// CREATE SEQUENCE, ALTER SEQUENCE and DROP SEQUENCE of MariaDB.
import {
  peek,
  take,
  takeAny,
  takeTable,
  unexpectedToken,
  wordAt,
  type Reader,
} from "../../frontend/sql/dialects/reader";
import { ifExists } from "../../frontend/sql/dialects/parseDrop";
import type { SequenceOptions } from "../sequence";
import type { SqlDefinition } from "../definitionTree";

/** The definition of a sequence at the reader; `guarded`: IF [NOT] EXISTS stands in the text. */
export function sequenceDefinition(reader: Reader, guarded: boolean): SqlDefinition {
  const action = takeAny(reader, "create", "alter", "drop");
  take(reader, "or", "replace");
  takeAny(reader, "temporary");
  if (!take(reader, "sequence")) throw unexpectedToken(reader);
  ifExists(reader);
  const name = takeTable(reader);
  if (action === "drop") {
    const names = [name];
    while (take(reader, ",")) names.push(takeTable(reader));
    return { kind: "drop", what: "sequence", names, ifExists: guarded, cascade: false };
  }
  const kind = action === "alter" ? "alter sequence" : "create sequence";
  return { kind, name, options: optionsOf(reader), guarded };
}

type Draft = { -readonly [Key in keyof SequenceOptions]: SequenceOptions[Key] };

function optionsOf(reader: Reader): SequenceOptions {
  const options: Draft = {};
  while (peek(reader) !== undefined && wordAt(reader) !== ";") {
    const word = takeAny(reader, ...WORDS);
    switch (word) {
      case "start":
        take(reader, "with");
        options.start = Number(numberAt(reader));
        break;
      case "increment":
        take(reader, "by");
        options.increment = Number(numberAt(reader));
        break;
      case "minvalue":
        options.least = numberAt(reader);
        break;
      case "maxvalue":
        options.most = numberAt(reader);
        break;
      case "restart":
        take(reader, "with");
        options.restart = peek(reader)?.kind === "number" ? Number(numberAt(reader)) : null;
        break;
      case "cache":
        options.cache = Number(numberAt(reader));
        break;
      case "nocache":
        options.cache = 0;
        break;
      case "cycle":
        options.cycles = true;
        break;
      case "nocycle":
        options.cycles = false;
        break;
      case "nominvalue":
        options.least = null;
        break;
      case "nomaxvalue":
        options.most = null;
        break;
      case "no":
        if (take(reader, "minvalue")) options.least = null;
        else if (take(reader, "maxvalue")) options.most = null;
        else if (take(reader, "cache")) options.cache = 0;
        else if (take(reader, "cycle")) options.cycles = false;
        else throw unexpectedToken(reader);
        break;
      case "engine":
      case "comment":
        take(reader, "=");
        reader.at++;
        break;
      default:
        throw unexpectedToken(reader);
    }
  }
  return options;
}

const WORDS = [
  ...(["start", "increment", "minvalue", "maxvalue", "restart", "cache", "nocache"] as const),
  ...(["cycle", "nocycle", "nominvalue", "nomaxvalue", "no", "engine", "comment"] as const),
] as const;

function numberAt(reader: Reader): bigint {
  take(reader, "=");
  const isNegative = take(reader, "-");
  const lexeme = peek(reader);
  if (lexeme?.kind !== "number" || !/^\d+$/.test(lexeme.word)) throw unexpectedToken(reader);
  reader.at++;
  return isNegative ? -BigInt(lexeme.word) : BigInt(lexeme.word);
}
