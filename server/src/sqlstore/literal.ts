// A literal of a statement's text that is handed over as a parameter.
import type { SqlType } from "./values/types";
import type { SqlValue } from "./values/value";

export class Literal {
  readonly type: SqlType;
  readonly value: SqlValue;
  /** As a tree has it. */
  readonly written: string;

  constructor(type: SqlType, value: SqlValue, written: string) {
    this.type = type;
    this.value = value;
    this.written = written;
  }
}
