// Definitions that are known to say nothing about what transactions read and write: where rows are kept and found, who
// may see them, what things are called in catalogues. What is in neither list is a loss.
import type { AlterTableCmd, Node } from "libpg-query";
import { kindOf } from "./ast";

/** Statements that leave tables, keys and rows as they are. */
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

/** Changes of a table that leave its columns and keys as they are. */
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

/** True if the definition is known to mean nothing for transactions. */
export function hasNoMeaning(node: Node): boolean {
  return STATEMENTS.has(kindOf(node));
}

/** True if the definition, where it stands among statements, leaves tables and their keys as they are. */
export function leavesTables(node: Node): boolean {
  if ("IndexStmt" in node) return node.IndexStmt.unique !== true;
  return "DropStmt" in node && KEEPING.has(node.DropStmt.removeType ?? "OBJECT_TABLE");
}

/** Kinds of objects that may be dropped without a table, a key or a trigger of a table. */
const KEEPING: ReadonlySet<string> = new Set(
  (
    "OBJECT_FUNCTION OBJECT_PROCEDURE OBJECT_ROUTINE OBJECT_AGGREGATE OBJECT_OPERATOR OBJECT_CAST OBJECT_COLLATION " +
    "OBJECT_VIEW OBJECT_MATVIEW OBJECT_EXTENSION OBJECT_EVENT_TRIGGER OBJECT_STATISTIC_EXT OBJECT_PUBLICATION"
  ).split(" "),
);

/** True if that change of a table is known to leave its columns and keys as they are. */
export function changesNothing({ subtype = "AT_AddColumn" }: AlterTableCmd): boolean {
  return CHANGES.has(subtype);
}
