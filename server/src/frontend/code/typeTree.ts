// Types of TypeScript and Java as trees. What is not understood is `other`, with its text; so is what is nested too deep.
// Linear in the text.

/** A type, and how it is written. */
export type Type = { readonly text: string } & (
  | { readonly kind: "name"; readonly name: string; readonly arguments: readonly Type[] }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "typeof"; readonly path: string }
  | { readonly kind: "union" | "intersection" | "tuple"; readonly parts: readonly Type[] }
  | { readonly kind: "array"; readonly of: Type }
  | RecordType
  | { readonly kind: "function"; readonly parameters: readonly (Type | undefined)[] }
  | { readonly kind: "other" }
);

export interface RecordType {
  readonly kind: "record";
  /** Its properties; methods are none. */
  readonly members: ReadonlyMap<string, { readonly type: Type; readonly isOptional: boolean }>;
  /** It has an index signature: there may be others. */
  readonly isOpen: boolean;
  /** It has methods, or can be called. */
  readonly hasMethods: boolean;
}

const DEEPEST = 60;

/** The tree of a type. */
export function typeTree(text: string): Type {
  const known = TREES_CACHE.get(text);
  if (known) return known;
  const type = new TypeReader(text).whole() ?? { kind: "other", text: text.trim() };
  if (TREES_CACHE.size >= MOST_TREES) TREES_CACHE.clear();
  TREES_CACHE.set(text, type);
  return type;
}

/** Trees by their texts: the same types are asked for with each call. */
const TREES_CACHE = new Map<string, Type>();
const MOST_TREES = 20_000;

/** The types of which something is one. */
export function alternativesOf(type: Type): readonly Type[] {
  return type.kind === "union" ? type.parts.flatMap(alternativesOf) : [type];
}

/** True for `null` and `undefined`. */
export function isNothing(type: Type): boolean {
  return isNull(type) || isUndefined(type);
}

export function isNull(type: Type): boolean {
  return type.kind === "literal" && type.value === null;
}

export function isUndefined(type: Type): boolean {
  return type.kind === "name" && type.name === "undefined";
}

/** True if all that is of a type is a scalar or nothing. */
export function isOfScalars(type: Type): boolean {
  return alternativesOf(type).every(
    (each) => each.kind === "literal" || (each.kind === "name" && SCALARS.has(each.name)),
  );
}

/** True for maps, sets and lists of the language. */
export function isCollectionType(type: Type): boolean {
  if (type.kind === "array" || type.kind === "tuple") return true;
  return type.kind === "name" && COLLECTIONS.test(type.name);
}

/** The type of what a collection holds, under keys where it has any; undefined where it does not say. */
export function itemTypeOf(type: Type): Type | undefined {
  const all = alternativesOf(type).filter((each) => !isNothing(each));
  const [one] = all;
  if (one === undefined || all.length > 1) return undefined;
  if (one.kind === "array") return one.of;
  return one.kind === "name" && COLLECTIONS.test(one.name) ? one.arguments.at(-1) : undefined;
}

const COLLECTIONS =
  /^(?:Readonly)?(?:Map|Set|Array)$|^Weak(?:Map|Set)$|^(?:List|Collection|Iterable)$/u;

const SCALARS: ReadonlySet<string> = new Set(
  "string number boolean bigint undefined String Boolean Integer Long Short Byte Double Float Character BigDecimal BigInteger int long short byte double float char UUID".split(" "), // prettier-ignore
);

/** Reads a type from the left to the right; what gives undefined has read nothing that it understands. */
class TypeReader {
  #at = 0;
  #depth = 0;

  constructor(private readonly text: string) {}

  whole(): Type | undefined {
    const type = this.#type();
    this.#space();
    return this.#at < this.text.length ? undefined : type;
  }

  #type(): Type | undefined {
    if (this.#depth > DEEPEST) return undefined;
    this.#depth += 1;
    const type = this.#list("union", "|", () => this.#list("intersection", "&", () => this.#postfix())); // prettier-ignore
    this.#depth -= 1;
    return type;
  }

  /** Parts between a separator, which may stand before the first as well. */
  #list(
    kind: "union" | "intersection",
    separator: string,
    part: () => Type | undefined,
  ): Type | undefined {
    this.#takes(separator);
    const start = this.#space();
    const parts: Type[] = [];
    do {
      const each = part();
      if (!each) return undefined;
      parts.push(each);
    } while (this.#takes(separator));
    const [only] = parts;
    return parts.length === 1 ? only : { kind, parts, text: this.#since(start) };
  }

  #postfix(): Type | undefined {
    const start = this.#space();
    let type = this.#primary();
    // On the next line it is an index signature.
    while (type && this.text[this.#at] === "[") {
      this.#at += 1;
      if (this.#takes("]")) type = { kind: "array", of: type, text: this.#since(start) };
      else {
        this.#skipTo("]");
        type = { kind: "other", text: this.#since(start) };
      }
    }
    return type;
  }

  #primary(): Type | undefined {
    if (this.#depth > DEEPEST) return undefined;
    this.#depth += 1;
    const type = this.#single(this.#at);
    this.#depth -= 1;
    return type;
  }

  #single(start: number): Type | undefined {
    const character = this.text[start] ?? "";
    switch (character) {
      case "{":
        return this.#record(start);
      case "[": {
        this.#at += 1;
        const parts = this.#separated("]", () => this.#type());
        return parts && { kind: "tuple", parts, text: this.#since(start) };
      }
      case "<":
        this.#at += 1;
        this.#skipTo(">");
        this.#space();
        return this.text[this.#at] === "(" ? this.#parenthesised(start) : undefined;
      case "(":
        return this.#parenthesised(start);
      case '"':
      case "'": {
        this.#quoted();
        return { kind: "literal", value: this.text.slice(start + 1, this.#at - 1), text: this.#since(start) }; // prettier-ignore
      }
      case "?":
        // A wildcard of Java.
        this.#at += 1;
        if (this.#match(/\s*(?:extends|super)\b\s*/uy) !== undefined && !this.#postfix()) return undefined; // prettier-ignore
        return { kind: "other", text: this.#since(start) };
      case "`":
        this.#quoted();
        return { kind: "other", text: this.#since(start) };
      default:
        return this.#word(start);
    }
  }

  #word(start: number): Type | undefined {
    const word = this.#match(/-?\d[\d_.]*|[\w$]+(?:\s*\.\s*[\w$]+)*(?:\.\.\.)?/uy);
    if (word === undefined) return undefined;
    if (/^-?\d/u.test(word)) return { kind: "literal", value: Number(word), text: word };
    switch (word) {
      case "true":
      case "false":
        return { kind: "literal", value: word === "true", text: word };
      case "null":
        return { kind: "literal", value: null, text: word };
      case "readonly":
        this.#space();
        return this.#postfix();
      case "typeof": {
        this.#space();
        const path = this.#match(/[\w$]+(?:\.[\w$]+)*/uy);
        return path === undefined ? undefined : { kind: "typeof", path, text: this.#since(start) };
      }
      case "keyof":
      case "unique":
      case "infer":
        this.#space();
        return this.#postfix() && { kind: "other", text: this.#since(start) };
      case "new":
      case "abstract":
        this.#space();
        return this.#primary() && { kind: "other", text: this.#since(start) };
      default:
    }
    const name = word.replaceAll(/\s/gu, "");
    if (!this.#takes("<")) return { kind: "name", name, arguments: [], text: this.#since(start) };
    const args = this.#separated(">", () => this.#type());
    return args && { kind: "name", name, arguments: args, text: this.#since(start) };
  }

  /** `(A | B)`, or the parameters of a function. */
  #parenthesised(start: number): Type | undefined {
    const open = this.#at;
    this.#at += 1;
    this.#skipTo(")");
    const end = this.#at;
    this.#space();
    if (this.text.startsWith("=>", this.#at)) {
      this.#at = open + 1;
      const parameters = this.#separated(")", () => this.#parameter());
      if (!parameters) return undefined;
      this.#takes("=>");
      // `value is Type` is no type of its own.
      this.#match(/\s*(?:asserts\s+)?[\w$]+\s+is\b/uy);
      if (!this.#type()) return undefined;
      return {
        kind: "function",
        parameters: parameters.map((each) => each.type),
        text: this.#since(start),
      };
    }
    this.#at = open + 1;
    const inner = this.#type();
    this.#space();
    if (!inner || this.#at !== end - 1) return undefined;
    this.#at = end;
    return inner;
  }

  #parameter(): { readonly type: Type | undefined } | undefined {
    const start = this.#space();
    this.#match(/(?:\.\.\.)?[\w$]+\s*\??/uy);
    if (start === this.#at) this.#skipPast(":,)");
    if (!this.#takes(":")) return { type: undefined };
    return { type: this.#type() };
  }

  #record(start: number): Type {
    const members = new Map<string, { readonly type: Type; readonly isOptional: boolean }>();
    let isOpen = false;
    let hasMethods = false;
    this.#at += 1;
    for (this.#space(); this.#at < this.text.length && !this.#takes("}"); this.#space()) {
      if (this.#takes(";") || this.#takes(",")) continue;
      const first = this.#at;
      const name = this.#match(/(?:readonly\s+)?(?:[\w$]+|"[^"\n]*"|'[^'\n]*')/uy);
      const isOptional = name !== undefined && this.#takes("?");
      if (name !== undefined && this.#takes(":")) {
        const from = this.#space();
        const type = this.#type();
        // A member ends where its line does.
        if (!type || !this.#isAtEnd()) {
          this.#at = from;
          this.#skipPast(";,\n}");
        }
        const isRead = type?.text === this.#since(from);
        const own: Type = isRead ? type : { kind: "other", text: this.#since(from) };
        const key = name.replace(/^readonly\s+/u, "").trim().replaceAll(/["']/gu, ""); // prettier-ignore
        if (!members.has(key)) members.set(key, { type: own, isOptional });
      } else {
        this.#at = first;
        const isIndex = this.text[first] === "[";
        isOpen ||= isIndex;
        hasMethods ||= !isIndex;
        this.#skipPast(";,\n}");
        if (first === this.#at) this.#at += 1;
      }
    }
    return { kind: "record", members, isOpen, hasMethods, text: this.#since(start) };
  }

  #isAtEnd(): boolean {
    const before = this.#at;
    this.#match(/(?:[^\S\n]|\/\*[^]*?\*\/)+/uy);
    const { [this.#at]: next = "\n" } = this.text;
    const isEnd = ";,\n}".includes(next) || this.text.startsWith("//", this.#at);
    this.#at = before;
    return isEnd;
  }

  #separated<Part>(close: string, part: () => Part | undefined): readonly Part[] | undefined {
    const parts: Part[] = [];
    while (!this.#takes(close)) {
      if (parts.length > 0 && !this.#takes(",")) return undefined;
      if (this.#takes(close)) break;
      const each = part();
      if (each === undefined) return undefined;
      parts.push(each);
    }
    return parts;
  }

  /** Goes behind the bracket that closes what is open. */
  #skipTo(close: string): void {
    this.#skipPast(close);
    this.#at = Math.min(this.text.length, this.#at + 1);
  }

  /** Goes to the next of some characters that stands outside of brackets and quotes. */
  #skipPast(characters: string): void {
    for (let depth = 0; this.#at < this.text.length; this.#at += 1) {
      const character = this.text[this.#at] ?? "";
      const isArrow = character === ">" && this.text[this.#at - 1] === "=";
      if (depth === 0 && characters.includes(character) && !isArrow) return;
      if ("\"'`".includes(character)) {
        this.#quoted();
        this.#at -= 1;
      } else if ("{([<".includes(character)) depth += 1;
      else if ("})]>".includes(character) && !isArrow) depth = Math.max(0, depth - 1);
    }
  }

  #quoted(): void {
    const quote = this.text[this.#at] ?? "";
    for (this.#at += 1; this.#at < this.text.length; this.#at += 1) {
      if (this.text[this.#at] === "\\") this.#at += 1;
      else if (this.text[this.#at] === quote) break;
    }
    this.#at = Math.min(this.text.length, this.#at + 1);
  }

  #takes(token: string): boolean {
    const before = this.#at;
    this.#space();
    if (this.text.startsWith(token, this.#at)) {
      this.#at += token.length;
      return true;
    }
    this.#at = before;
    return false;
  }

  /** Skips space and comments; gives where it is then. */
  #space(): number {
    this.#match(/(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*)+/uy);
    return this.#at;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #since(start: number): string {
    return this.text.slice(start, this.#at).trim();
  }
}
