// The table-defining half of PostgreSQL's parse tree: the followed fields of CREATE TABLE, ALTER TABLE and CREATE UNIQUE INDEX. All other
// fields weaken every statement on the table.
import { dictionary } from "../../../protocol/dictionary";
import { isOfServer, SHAPES, unfollowedIn, type NodeShape } from "./parseTree";

/** Shapes beside those of statements; they override common types. */
export const DEFINITION_SHAPES: Readonly<Record<string, NodeShape>> = dictionary<NodeShape>({
  CreateStmt: {
    // Partitions share the keys of their table; a row's partition is irrelevant.
    read:
      "relation:RangeVar tableElts inhRelations constraints nnconstraints partbound:PartitionBoundSpec " +
      "partspec:PartitionSpec if_not_exists oncommit accessMethod",
    harmless: "options tablespacename",
    lost: { ofTypename: "the type that it is OF" },
    refuses: ({ oncommit, accessMethod }) =>
      accessMethod !== undefined && accessMethod !== "heap"
        ? "its access method"
        : oncommit === "ONCOMMIT_DELETE_ROWS" || oncommit === "ONCOMMIT_DROP"
          ? "ON COMMIT"
          : undefined,
  },
  RangeVar: {
    read: "schemaname relname relpersistence",
    harmless: "catalogname inh location",
    lost: { alias: "an alias" },
    refuses: ({ relpersistence }) =>
      relpersistence === "t" ? "that it is temporary, and so of one session" : undefined,
  },
  ColumnDef: {
    read: "colname typeName:TypeName collClause:CollateClause constraints",
    harmless:
      "compression inhcount is_local is_not_null is_from_type storage storage_name raw_default cooked_default identity " +
      "identitySequence generated collOid location",
    lost: { fdwoptions: "options of a foreign table" },
  },
  // DELETE is followed; other changes of referenced rows are a loss of their statement.
  Constraint: {
    read:
      "contype conname deferrable initdeferred is_enforced skip_validation raw_expr generated_kind " +
      "nulls_not_distinct keys exclusions indexname where_clause pktable:RangeVar fk_attrs pk_attrs fk_del_action " +
      "fk_matchtype access_method",
    harmless:
      "initially_valid is_no_inherit cooked_expr generated_when including options indexspace reset_default_tblspc " +
      "fk_upd_action old_conpfeqop old_pktable_oid location",
    lost: {
      without_overlaps: "WITHOUT OVERLAPS",
      fk_with_period: "PERIOD of a foreign key",
      pk_with_period: "PERIOD of a foreign key",
      fk_del_set_cols: "the columns that ON DELETE SET names",
    },
    refuses: ({ contype, conname, fk_matchtype: match, skip_validation: isUnvalidated }) => {
      if (match === "f") return "MATCH FULL of a foreign key";
      if (match === "p") return "MATCH PARTIAL of a foreign key";
      const isOther = contype === "CONSTR_CHECK" || contype === "CONSTR_NOTNULL";
      return isUnvalidated === true && isOther
        ? unvalidated(typeof conname === "string" ? conname : "")
        : undefined;
    },
  },
  TableLikeClause: { read: "relation:RangeVar options", harmless: "relationOid" },
  PartitionSpec: { harmless: "strategy partParams location" },
  PartitionBoundSpec: {
    harmless: "strategy is_default modulus remainder listdatums lowerdatums upperdatums location",
  },

  IndexStmt: {
    read:
      "idxname relation:RangeVar indexParams whereClause unique nulls_not_distinct deferrable initdeferred " +
      "accessMethod",
    harmless:
      "tableSpace indexIncludingParams options idxcomment indexOid oldNumber oldCreateSubid " +
      "oldFirstRelfilelocatorSubid primary isconstraint transformed concurrent if_not_exists reset_default_tblspc",
    lost: { excludeOpNames: "an exclusion", iswithoutoverlaps: "WITHOUT OVERLAPS" },
  },
  IndexElem: {
    read: "name expr collation opclass",
    harmless: "indexcolname ordering nulls_ordering opclassopts",
    refuses: ({ collation, opclass }) =>
      Array.isArray(collation) && !collation.every(isServerCollation)
        ? "the collation of a unique index"
        : Array.isArray(opclass) && !opclass.every(isUsualClass)
          ? "the operator class of a unique index"
          : undefined,
  },
  AlterTableCmd: {
    read: "subtype name def",
    harmless: "num newowner behavior missing_ok recurse",
  },
  PartitionCmd: { read: "name:RangeVar bound:PartitionBoundSpec", harmless: "concurrent" },
});

const ALL: Readonly<Record<string, NodeShape>> = dictionary<NodeShape>({
  ...SHAPES,
  ...DEFINITION_SHAPES,
});

/** The unmodelled parts of a table's definition. */
export function unfollowedInDefinition(type: string, node: object): readonly string[] {
  return unfollowedIn(type, node, ALL);
}

/** NOT VALID: existing rows may violate the constraint. */
export function unvalidated(constraint: string): string {
  return `NOT VALID of the constraint ${constraint}`;
}

/** True for operator classes with the type's own equality: text_ops, text_pattern_ops and the like. */
function isUsualClass(node: unknown): boolean {
  return /^[a-z0-9]+(?:_pattern)?_ops$|^pg_catalog$/.test(textOf(node));
}

function isServerCollation(node: unknown): boolean {
  const name = textOf(node);
  return name === "pg_catalog" || isOfServer(name);
}

function textOf(node: unknown): string {
  const named = node as { readonly String?: { readonly sval?: string } };
  return named.String?.sval ?? "";
}
