// Fields of PostgreSQL's parse tree and their treatment in lowering. An unlisted field, or one whose value is not followed, weakens its
// statement: nothing is skipped silently. A test compares the lists with the grammar's types, so that a new field needs a decision.
import { ofNode } from "../../../query/nodes";
import { dictionary, ownEntry } from "../../../protocol/dictionary";

/** The fields of one type of node, each in one list. */
export interface NodeShape {
  /** Followed; `field:Type` for a nested node without its type name. */
  readonly read?: string;
  /** Irrelevant to rows and keys, or only filled in by the server. */
  readonly harmless?: string;
  /** Not followed, with the loss to report. */
  readonly lost?: Readonly<Record<string, string>>;
  /** The reason why a value of a followed field is not followed. */
  readonly refuses?: (node: Readonly<Record<string, unknown>>) => string | undefined;
}

/** Locations, and fields filled in by parse analysis. */
const FILLED_IN = "location xpr";

/** Nodes inside of statements without their own lowering, and all lowered ones. */
export const SHAPES: Readonly<Record<string, NodeShape>> = dictionary<NodeShape>({
  SelectStmt: {
    read:
      "distinctClause intoClause:IntoClause targetList fromClause whereClause groupClause havingClause windowClause " +
      "valuesLists sortClause limitOffset limitCount lockingClause withClause:WithClause larg:SelectStmt rarg:SelectStmt " +
      "limitOption op all",
    lost: { groupDistinct: "GROUP BY DISTINCT" },
  },
  InsertStmt: {
    read:
      "relation:RangeVar cols selectStmt onConflictClause:OnConflictClause returningClause:ReturningClause " +
      "withClause:WithClause override",
    refuses: ({ override }) =>
      override === "OVERRIDING_USER_VALUE" ? "OVERRIDING USER VALUE" : undefined,
  },
  UpdateStmt: {
    read: "relation:RangeVar targetList whereClause fromClause returningClause:ReturningClause withClause:WithClause",
  },
  DeleteStmt: {
    read: "relation:RangeVar usingClause whereClause returningClause:ReturningClause withClause:WithClause",
  },
  LockStmt: { read: "relations mode nowait" },
  TruncateStmt: { read: "relations restart_seqs behavior" },
  // COPY inserts external rows in every format.
  CopyStmt: {
    read: "relation:RangeVar query attlist is_from whereClause",
    harmless: "is_program filename options",
  },
  CallStmt: { read: "funccall:FuncCall", harmless: "funcexpr outargs" },
  ConstraintsSetStmt: { read: "constraints deferred" },

  Alias: { read: "aliasname colnames" },
  // Tables are named without schema, and rows of a parent and its children are separate.
  RangeVar: {
    read: "schemaname relname alias:Alias",
    harmless: `catalogname inh relpersistence ${FILLED_IN}`,
  },
  RangeSubselect: { read: "lateral subquery alias:Alias" },
  RangeFunction: {
    read: "ordinality functions alias:Alias coldeflist",
    harmless: "lateral is_rowsfrom",
  },
  // The columns of a function in FROM.
  ColumnDef: {
    read: "colname typeName:TypeName",
    harmless:
      "compression inhcount is_local is_not_null is_from_type storage storage_name raw_default cooked_default identity " +
      "identitySequence generated collOid constraints fdwoptions location",
    lost: { collClause: "the collation of a column that a function gives" },
  },
  RangeTableSample: { read: "relation", harmless: `method args repeatable ${FILLED_IN}` },
  JoinExpr: {
    read: "jointype isNatural larg rarg usingClause quals alias:Alias",
    harmless: "rtindex",
    lost: { join_using_alias: "the alias of a join" },
  },
  ResTarget: { read: "name indirection val", harmless: FILLED_IN },
  MultiAssignRef: { read: "source colno", harmless: "ncolumns" },
  SortBy: { read: "node sortby_dir sortby_nulls useOp", harmless: FILLED_IN },
  GroupingSet: { read: "kind content", harmless: FILLED_IN },
  LockingClause: { read: "lockedRels strength waitPolicy" },
  WithClause: { read: "ctes recursive", harmless: FILLED_IN },
  CommonTableExpr: {
    read: "ctename aliascolnames ctequery",
    harmless:
      "ctematerialized cterecursive cterefcount ctecolnames ctecoltypes ctecoltypmods ctecolcollations location",
    lost: { search_clause: "SEARCH in WITH RECURSIVE", cycle_clause: "CYCLE in WITH RECURSIVE" },
  },
  OnConflictClause: {
    read: "action infer:InferClause targetList whereClause",
    harmless: FILLED_IN,
  },
  InferClause: { read: "indexElems whereClause conname", harmless: FILLED_IN },
  // In ON CONFLICT; those of CREATE INDEX are checked where it is read.
  IndexElem: {
    read: "name expr",
    harmless: "indexcolname ordering nulls_ordering",
    lost: {
      collation: "the collation of ON CONFLICT",
      opclass: "the operator class of ON CONFLICT",
      opclassopts: "the operator class of ON CONFLICT",
    },
  },
  ReturningClause: { read: "options exprs" },
  ReturningOption: { read: "option value", harmless: FILLED_IN },
  WindowDef: {
    read: "name refname partitionClause orderClause frameOptions startOffset endOffset",
    harmless: FILLED_IN,
  },
  IntoClause: {
    read: "rel:RangeVar",
    harmless: "colNames accessMethod options onCommit tableSpaceName viewQuery skipData",
  },

  A_Const: {
    read: "ival:Integer fval:Float boolval:Boolean sval:String bsval:BitString isnull",
    harmless: FILLED_IN,
  },
  Integer: { read: "ival" },
  Float: { read: "fval" },
  Boolean: { read: "boolval" },
  String: { read: "sval" },
  BitString: { read: "bsval" },
  List: { read: "items" },
  A_Star: {},
  ColumnRef: { read: "fields", harmless: FILLED_IN },
  ParamRef: { read: "number", harmless: FILLED_IN },
  A_Expr: {
    read: "kind name lexpr rexpr",
    harmless: `rexpr_list_start rexpr_list_end ${FILLED_IN}`,
    refuses: ({ name }) =>
      isForeignOperator(name) ? "an operator of another schema than pg_catalog" : undefined,
  },
  BoolExpr: { read: "boolop args", harmless: FILLED_IN },
  FuncCall: {
    read: "funcname args agg_order agg_filter agg_within_group agg_star agg_distinct over:WindowDef",
    harmless: `funcformat ${FILLED_IN}`,
    lost: { func_variadic: "VARIADIC in a call" },
  },
  NamedArgExpr: { read: "arg name", harmless: `argnumber ${FILLED_IN}` },
  SubLink: { read: "subLinkType testexpr operName subselect", harmless: `subLinkId ${FILLED_IN}` },
  TypeCast: { read: "arg typeName:TypeName", harmless: FILLED_IN },
  TypeName: {
    read: "names typmods arrayBounds pct_type",
    harmless: `typeOid typemod setof ${FILLED_IN}`,
  },
  NullTest: { read: "arg nulltesttype", harmless: `argisrow ${FILLED_IN}` },
  BooleanTest: { read: "arg booltesttype", harmless: FILLED_IN },
  CaseExpr: { read: "arg args defresult", harmless: `casetype casecollid ${FILLED_IN}` },
  CaseWhen: { read: "expr result", harmless: FILLED_IN },
  CoalesceExpr: { read: "args", harmless: `coalescetype coalescecollid ${FILLED_IN}` },
  MinMaxExpr: {
    read: "op args",
    harmless: `minmaxtype minmaxcollid inputcollid ${FILLED_IN}`,
  },
  SQLValueFunction: { read: "op", harmless: `type typmod ${FILLED_IN}` },
  CollateClause: {
    read: "arg collname",
    harmless: FILLED_IN,
    refuses: ({ collname }) =>
      isOfServer(lastText(collname))
        ? undefined
        : "a collation that may take other texts for equal",
  },
  A_Indirection: { read: "arg indirection" },
  A_Indices: { read: "is_slice lidx uidx" },
  A_ArrayExpr: { read: "elements", harmless: `list_start list_end ${FILLED_IN}` },
  RowExpr: { read: "args", harmless: `row_typeid row_format colnames ${FILLED_IN}` },
  SetToDefault: { harmless: `typeId typeMod collation ${FILLED_IN}` },
  CurrentOfExpr: { read: "cursor_name", harmless: `cvarno cursor_param ${FILLED_IN}` },
});

/** Nodes that are lowered, and so checked, separately. */
const BY_THEMSELVES: ReadonlySet<string> = new Set(
  (
    "SelectStmt InsertStmt UpdateStmt DeleteStmt A_Const ColumnRef A_Expr BoolExpr FuncCall SubLink TypeCast ParamRef " +
    "NullTest BooleanTest CaseExpr CoalesceExpr MinMaxExpr SQLValueFunction CollateClause A_Indirection NamedArgExpr " +
    "RowExpr A_ArrayExpr SetToDefault"
  ).split(" "),
);

/** The losses of a node: its unfollowed fields, except in parts that are lowered separately. Linear in the node. */
export function unfollowedIn(
  type: string,
  node: object,
  shapes: Readonly<Record<string, NodeShape>> = SHAPES,
): readonly string[] {
  const found: string[] = [];
  collect(type, node, { shapes, found });
  return found;
}

/** The losses so far, by these shapes. */
interface Collection {
  readonly shapes: Readonly<Record<string, NodeShape>>;
  readonly found: string[];
}

function collect(type: string, node: object, collection: Collection): void {
  const { found } = collection;
  const shape = ownEntry(collection.shapes, type);
  if (shape === undefined) {
    found.push(`the construct ${type}`);
    return;
  }
  const { embedded, known } = fieldsOf(shape);
  for (const [field, value] of Object.entries(node) as [string, unknown][]) {
    const lost = ownEntry(shape.lost ?? {}, field);
    if (lost !== undefined) {
      if (isSaid(value)) found.push(lost);
    } else if (!known.has(field)) found.push(`${field} of ${type}`);
    else if (embedded.has(field)) inside(value, embedded.get(field), collection);
  }
  const refused = shape.refuses?.(node as Readonly<Record<string, unknown>>);
  if (refused !== undefined) found.push(refused);
}

function inside(value: unknown, type: string | undefined, collection: Collection): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value as readonly unknown[]) inside(each, undefined, collection);
    return;
  }
  if (type !== undefined) {
    // The parts of a set operation are separate queries.
    if (!BY_THEMSELVES.has(type) || type === "FuncCall") collect(type, value, collection);
    return;
  }
  for (const [kind, node] of Object.entries(value) as [string, unknown][])
    if (!BY_THEMSELVES.has(kind) && typeof node === "object" && node !== null)
      collect(kind, node, collection);
}

interface Fields {
  readonly known: ReadonlySet<string>;
  /** Followed fields, with the type of a nested node without its type name. */
  readonly embedded: ReadonlyMap<string, string | undefined>;
}

const fieldsOf = ofNode(({ read = "", harmless = "" }: NodeShape): Fields => {
  const embedded = new Map(
    words(read).map((each): [string, string | undefined] => {
      const [field = "", of] = each.split(":");
      return [field, of];
    }),
  );
  return { embedded, known: new Set([...embedded.keys(), ...words(harmless)]) };
});

function words(text: string): readonly string[] {
  return text === "" ? [] : text.split(" ");
}

/** True if a field has a non-default value. */
function isSaid(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

function textsIn(names: unknown): readonly string[] {
  return Array.isArray(names)
    ? (names as readonly { readonly String?: { readonly sval?: string } }[]).map(
        (each) => each.String?.sval ?? "",
      )
    : [];
}

function lastText(names: unknown): string {
  return textsIn(names).at(-1) ?? "";
}

function isForeignOperator(names: unknown): boolean {
  const path = textsIn(names);
  return path.length > 1 && path.at(-2) !== "pg_catalog";
}

/** Default collations of servers, under their ICU and system names: all of them are deterministic. */
export function isOfServer(collation: string): boolean {
  return (
    /^(?:C|POSIX)(?:\.[\w-]+)?$|^(?:default|ucs_basic|unicode|pg_c_utf8|pg_unicode_fast)$/u.test(
      collation,
    ) ||
    /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?-x-icu$/u.test(collation) ||
    /^[a-z]{2,3}(?:_[A-Z]{2}(?:\.[\w-]+)?|\.[\w-]+)(?:@\w+)?$/u.test(collation)
  );
}
