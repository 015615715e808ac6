// Definitions without effect on what transactions read and write: storage, access paths, privileges, catalog names. Unlisted ones are a
// loss.
import type { AlterTableCmd, Node } from "libpg-query";
import { kindOf } from "./ast";

/** Statements that leave tables, keys and rows unchanged. */
const STATEMENTS: ReadonlySet<string> = new Set(
  (
    "CommentStmt GrantStmt GrantRoleStmt AlterOwnerStmt AlterDefaultPrivilegesStmt CreateRoleStmt AlterRoleStmt " +
    "AlterRoleSetStmt DropRoleStmt DropOwnedStmt ReassignOwnedStmt SecLabelStmt CreatedbStmt DropdbStmt " +
    "AlterDatabaseStmt AlterDatabaseSetStmt AlterDatabaseRefreshCollStmt AlterSystemStmt CreateSchemaStmt " +
    "AlterObjectSchemaStmt CreateExtensionStmt AlterExtensionStmt AlterExtensionContentsStmt " +
    "CreateTableSpaceStmt DropTableSpaceStmt AlterTableSpaceOptionsStmt CreateStatsStmt AlterStatsStmt " +
    "CreateSeqStmt AlterSeqStmt DefineStmt AlterEnumStmt CreateRangeStmt CompositeTypeStmt AlterTypeStmt " +
    "CreateOpClassStmt CreateOpFamilyStmt AlterOpFamilyStmt AlterOperatorStmt CreateCastStmt " +
    "CreateConversionStmt CreateTransformStmt CreatePLangStmt CreateAmStmt CreatePublicationStmt " +
    "AlterPublicationStmt CreateFdwStmt AlterFdwStmt CreateForeignServerStmt AlterForeignServerStmt " +
    "CreateUserMappingStmt AlterUserMappingStmt DropUserMappingStmt AlterFunctionStmt AlterObjectDependsStmt " +
    "AlterTSDictionaryStmt AlterTSConfigurationStmt CreateEventTrigStmt AlterEventTrigStmt"
  ).split(" "),
);

/** Table changes that leave columns and keys unchanged. */
const CHANGES: ReadonlySet<string> = new Set(
  (
    "AT_SetStatistics AT_SetOptions AT_ResetOptions AT_SetStorage AT_SetCompression " +
    "AT_ChangeOwner AT_ClusterOn AT_DropCluster AT_SetLogged AT_SetUnLogged AT_DropOids " +
    "AT_SetAccessMethod AT_SetTableSpace AT_SetRelOptions AT_ResetRelOptions AT_ReplicaIdentity " +
    "AT_EnableRowSecurity AT_DisableRowSecurity AT_ForceRowSecurity AT_NoForceRowSecurity AT_SetIdentity " +
    "AT_EnableTrig AT_EnableAlwaysTrig AT_EnableReplicaTrig AT_DisableTrig AT_EnableTrigAll " +
    "AT_DisableTrigAll AT_EnableTrigUser AT_DisableTrigUser"
  ).split(" "),
);

/** True if the definition has no effect on transactions. */
export function hasNoMeaning(node: Node): boolean {
  return STATEMENTS.has(kindOf(node));
}

/** True if the definition, among statements, leaves tables and their keys unchanged. */
export function leavesTables(node: Node): boolean {
  if ("IndexStmt" in node) return node.IndexStmt.unique !== true;
  return "DropStmt" in node && KEEPING.has(node.DropStmt.removeType ?? "OBJECT_TABLE");
}

/** Kinds of objects whose removal affects no table, key or trigger. */
const KEEPING: ReadonlySet<string> = new Set(
  (
    "OBJECT_FUNCTION OBJECT_PROCEDURE OBJECT_ROUTINE OBJECT_AGGREGATE OBJECT_OPERATOR OBJECT_CAST OBJECT_COLLATION " +
    "OBJECT_VIEW OBJECT_MATVIEW OBJECT_EXTENSION OBJECT_EVENT_TRIGGER OBJECT_STATISTIC_EXT OBJECT_PUBLICATION"
  ).split(" "),
);

/** True if that table change is known to leave its columns and keys unchanged. */
export function changesNothing({ subtype = "AT_AddColumn" }: AlterTableCmd): boolean {
  return CHANGES.has(subtype);
}
