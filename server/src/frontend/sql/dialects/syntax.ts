// The syntax tree of MySQL, MariaDB, SQL Server and SQLite statements.

export type SyntaxExpression =
  | {
      readonly kind: "literal";
      readonly value: number | string | boolean | null;
      /** A number as written, with its digits. */
      readonly text?: string;
      /** True for a string written as bytes. */
      readonly isBytes?: boolean | undefined;
    }
  /** DATE '...', TIMESTAMP '...'. */
  | { readonly kind: "time"; readonly value: string }
  /** `$n` of the pre-lexed text. */
  | { readonly kind: "placeholder"; readonly number: number }
  /** A column or a variable, qualified or not; folded. */
  | { readonly kind: "name"; readonly path: readonly string[] }
  /** `*`, `t.*` in a list of outputs. */
  | { readonly kind: "star"; readonly path: readonly string[] }
  /** `@x`, with its sigil. */
  | { readonly kind: "variable"; readonly name: string }
  /** `@@x`, without its sigils. */
  | { readonly kind: "system"; readonly name: string }
  /** `@x := value` */
  | { readonly kind: "assign"; readonly variable: string; readonly value: SyntaxExpression }
  | { readonly kind: "unary"; readonly operator: string; readonly operand: SyntaxExpression }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: SyntaxExpression;
      readonly right: SyntaxExpression;
    }
  | {
      readonly kind: "in";
      readonly operand: SyntaxExpression;
      readonly values: readonly SyntaxExpression[] | SyntaxQuery;
    }
  | {
      readonly kind: "between";
      readonly operand: SyntaxExpression;
      readonly low: SyntaxExpression;
      readonly high: SyntaxExpression;
    }
  | {
      readonly kind: "like";
      readonly operand: SyntaxExpression;
      readonly pattern: SyntaxExpression;
    }
  | {
      readonly kind: "is";
      readonly operand: SyntaxExpression;
      readonly what: "null" | "true" | "false";
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly arguments: readonly SyntaxExpression[];
      readonly distinct: boolean;
      /** OVER, FILTER, WITHIN GROUP: more than a plain call. */
      readonly windowed: boolean;
      readonly over?: SyntaxWindow;
      /** GROUP_CONCAT(... ORDER BY ... SEPARATOR ...). */
      readonly orderBy?: readonly SyntaxOrder[];
      readonly separator?: string;
      /** True if keywords inside of the call were skipped. */
      readonly rest?: boolean;
    }
  | {
      readonly kind: "case";
      readonly subject?: SyntaxExpression;
      readonly arms: readonly {
        readonly when: SyntaxExpression;
        readonly then: SyntaxExpression;
      }[];
      readonly otherwise?: SyntaxExpression;
    }
  | {
      readonly kind: "cast";
      readonly operand: SyntaxExpression;
      readonly type: string;
      readonly rounds: boolean;
      /** The parentheses after the type, and UNSIGNED. */
      readonly sizes?: readonly number[];
      readonly unsigned?: boolean;
    }
  | { readonly kind: "query"; readonly query: SyntaxQuery }
  | { readonly kind: "exists"; readonly query: SyntaxQuery }
  | {
      readonly kind: "quantified";
      readonly operator: string;
      readonly all: boolean;
      readonly left: SyntaxExpression;
      readonly query: SyntaxQuery;
    }
  | { readonly kind: "row"; readonly values: readonly SyntaxExpression[] }
  /** VALUES(column) in ON DUPLICATE KEY UPDATE. */
  | { readonly kind: "proposed"; readonly column: string }
  | { readonly kind: "default" }
  /** `INTERVAL amount UNIT`, the unit in lower case. */
  | { readonly kind: "interval"; readonly amount: SyntaxExpression; readonly unit: string }
  /** Parsed, but not understood: MATCH ... AGAINST. */
  | {
      readonly kind: "other";
      readonly what: string;
      readonly parts: readonly SyntaxExpression[];
    };

export interface SyntaxOutput {
  readonly value: SyntaxExpression;
  readonly alias?: string;
  /** The database's name for it in a result: its alias or name with its case. */
  readonly label?: string;
  /** The text of the expression, which is its default name. */
  readonly text: string;
}

export interface SyntaxRelation {
  /** Folded. */
  readonly table?: string;
  /** Its name without the database, where the table's has it. */
  readonly written?: string;
  /** The words before the table's name, folded. */
  readonly schema?: string;
  readonly query?: SyntaxQuery;
  /** Neither a table nor a query: a function, JSON_TABLE. */
  readonly unknown?: string;
  readonly alias?: string;
  /** Column names of a derived table. */
  readonly columns: readonly string[];
  readonly join: "inner" | "left" | "right" | "full" | "cross";
  readonly natural: boolean;
  readonly on?: SyntaxExpression;
  readonly using: readonly string[];
  /** SQL Server's WITH (...). */
  readonly hints: readonly string[];
}

export interface SyntaxLock {
  readonly strength: "update" | "share";
  readonly of: readonly string[];
  readonly wait: "block" | "nowait" | "skip-locked";
}

export interface SyntaxOrder {
  readonly value: SyntaxExpression;
  readonly descending: boolean;
}

export interface SyntaxWith {
  readonly name: string;
  readonly columns: readonly string[];
  readonly query: SyntaxQuery;
  readonly recursive: boolean;
}

export interface SyntaxWindow {
  /** A named window that it is, or extends. */
  readonly base?: string;
  readonly partitionBy: readonly SyntaxExpression[];
  readonly orderBy: readonly SyntaxOrder[];
  readonly frame?: {
    readonly unit: "rows" | "range" | "groups";
    readonly start: SyntaxFrameBound;
    readonly end: SyntaxFrameBound;
  };
  /** EXCLUDE, whatever it leaves out. */
  readonly excluded?: boolean;
}

export type SyntaxFrameBound =
  | { readonly kind: "unbounded preceding" | "unbounded following" | "current row" }
  | { readonly kind: "preceding" | "following"; readonly offset: SyntaxExpression };

export interface SyntaxQuery {
  readonly with: readonly SyntaxWith[];
  readonly distinct: boolean;
  readonly outputs: readonly SyntaxOutput[];
  /** VALUES (...), (...): rows instead of outputs. */
  readonly rows?: readonly (readonly SyntaxExpression[])[];
  readonly from: readonly SyntaxRelation[];
  readonly where?: SyntaxExpression;
  readonly groupBy: readonly SyntaxExpression[];
  /** WITH ROLLUP, which is among the losses, too. */
  readonly rollup?: boolean;
  readonly having?: SyntaxExpression;
  /** The WINDOW clause. */
  readonly windows?: ReadonlyMap<string, SyntaxWindow>;
  readonly orderBy: readonly SyntaxOrder[];
  readonly limit?: SyntaxExpression;
  readonly offset?: SyntaxExpression;
  readonly lock?: SyntaxLock;
  /** INTO @a, b. */
  readonly into: readonly string[];
  readonly setOperations: readonly {
    readonly operator: "union" | "union all" | "intersect" | "except";
    readonly query: SyntaxQuery;
  }[];
  /** Parsed parts that are not followed, for people. */
  readonly losses: readonly string[];
}

export interface SyntaxAssignment {
  readonly path: readonly string[];
  readonly value: SyntaxExpression;
}

export interface SyntaxInsert {
  readonly kind: "insert";
  readonly with: readonly SyntaxWith[];
  readonly table: string;
  /** As of a relation. */
  readonly written?: string;
  readonly alias?: string;
  readonly columns: readonly string[];
  readonly rows?: readonly (readonly SyntaxExpression[])[];
  readonly query?: SyntaxQuery;
  readonly onConflict?: {
    readonly action: "nothing" | "update" | "replace";
    readonly target: readonly string[];
    readonly set: readonly SyntaxAssignment[];
    readonly where?: SyntaxExpression;
    /** MySQL's alias of the proposed row, and its column names. */
    readonly proposed?: { readonly alias: string; readonly columns: readonly string[] };
  };
  readonly returning?: readonly SyntaxOutput[];
  readonly losses: readonly string[];
}

export interface SyntaxUpdate {
  readonly kind: "update";
  readonly with: readonly SyntaxWith[];
  /** The tables after UPDATE: several in MySQL. */
  readonly tables: readonly SyntaxRelation[];
  readonly set: readonly SyntaxAssignment[];
  readonly from: readonly SyntaxRelation[];
  readonly where?: SyntaxExpression;
  readonly orderBy: readonly SyntaxOrder[];
  readonly limit?: SyntaxExpression;
  readonly returning?: readonly SyntaxOutput[];
  readonly losses: readonly string[];
}

export interface SyntaxDelete {
  readonly kind: "delete";
  readonly with: readonly SyntaxWith[];
  /** Tables or aliases from which rows are deleted. */
  readonly targets: readonly string[];
  readonly from: readonly SyntaxRelation[];
  readonly where?: SyntaxExpression;
  readonly orderBy: readonly SyntaxOrder[];
  readonly limit?: SyntaxExpression;
  readonly returning?: readonly SyntaxOutput[];
  readonly losses: readonly string[];
}

export type SyntaxStatement =
  | { readonly kind: "select"; readonly query: SyntaxQuery }
  | SyntaxInsert
  | SyntaxUpdate
  | SyntaxDelete
  /** TRUNCATE: deletes all rows. */
  | { readonly kind: "truncate"; readonly table: string }
  /** SET @a = ..., @b = ...; DECLARE @a INT = ... */
  | {
      readonly kind: "set";
      readonly assignments: readonly {
        readonly variable: string;
        readonly value: SyntaxExpression;
      }[];
    }
  | {
      readonly kind: "call";
      readonly name: string;
      readonly arguments: readonly SyntaxExpression[];
    }
  | { readonly kind: "do"; readonly values: readonly SyntaxExpression[] }
  /** No effect on rows. */
  | { readonly kind: "nothing" };
