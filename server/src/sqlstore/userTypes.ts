// Types of the user's own: enumerations and domains, and what becomes of columns when they change.
import { alteredTable } from "./alterTable";
import { ownType, type Catalog, type Column, type Table } from "./catalog";
import { failure } from "./sqlError";
import { declaredType } from "./tableParts";
import type { SqlDefinition } from "./definitionTree";
import { type DeclaredType } from "./values/types";

type Of<K extends SqlDefinition["kind"]> = Extract<SqlDefinition, { readonly kind: K }>;

/** ALTER TYPE ... ADD VALUE. */
export function addLabel(
  catalog: Catalog,
  { name, label, beside, ifNotExists }: Of<"add label">,
): void {
  const labels = labelsOf(catalog, name);
  if (labels.includes(label)) {
    if (ifNotExists) return;
    throw failure("objectExists", `enum label "${label}" already exists`);
  }
  const at = beside === undefined ? labels.length : labels.indexOf(beside.label);
  if (at < 0)
    throw failure("badArgument", `"${beside?.label ?? ""}" is not an existing enum label`);
  setLabels(catalog, name, labels.toSpliced(beside?.isAfter === true ? at + 1 : at, 0, label));
}

/** ALTER TYPE ... RENAME VALUE. Rows keep labels as texts, so those with the old one are refused. */
export function renameLabel(catalog: Catalog, { name, from, to }: Of<"rename label">): void {
  const labels = labelsOf(catalog, name);
  const at = labels.indexOf(from);
  if (at < 0) throw failure("badArgument", `"${from}" is not an existing enum label`);
  if (labels.includes(to)) throw failure("objectExists", `enum label "${to}" already exists`);
  setLabels(catalog, name, labels.with(at, to));
}

function labelsOf({ enumerations }: Catalog, name: string): readonly string[] {
  const labels = enumerations.get(name);
  if (labels === undefined) throw noType(name);
  return labels;
}

/** Types hold the list of their labels. */
function setLabels(catalog: Catalog, name: string, labels: readonly string[]): void {
  const before = catalog.enumerations.get(name);
  catalog.enumerations.set(name, labels);
  changeTypes(catalog, (declared) =>
    declared.labels === before ? { ...declared, labels } : declared,
  );
}

/** Changes the types of columns, parameters and results, and those under domains. */
function changeTypes(catalog: Catalog, change: (declared: DeclaredType) => DeclaredType): void {
  for (const [name, domain] of catalog.domains)
    catalog.domains.set(name, { ...domain, declared: change(domain.declared) });
  for (const [name, all] of catalog.routines)
    catalog.routines.set(
      name,
      all.map((each) => ({
        ...each,
        parameters: each.parameters.map((one) => ({ ...one, declared: change(one.declared) })),
        ...(each.returns && { returns: change(each.returns) }),
      })),
    );
  for (const [name, table] of catalog.tables) {
    const columns = table.columns.map((column): Column => {
      const declared = change(column.declared);
      return declared === column.declared ? column : { ...column, declared };
    });
    if (columns.some((column, at) => column !== table.columns[at]))
      catalog.tables.set(name, { ...table, columns });
  }
}

export function createDomain(catalog: Catalog, definition: Of<"create domain">): void {
  const { name, type, notNull, default: usual } = definition;
  if (ownType(catalog, name) !== undefined)
    throw failure("objectExists", `type "${name}" already exists`);
  const checks = definition.checks.map(({ name: own, condition }, at) => ({
    name: own ?? `${name}_check${at === 0 ? "" : String(at)}`,
    condition,
  }));
  catalog.domains.set(name, {
    name,
    declared: declaredType(catalog, type),
    notNull,
    checks,
    ...(usual && { default: usual }),
  });
}

export function dropType(
  catalog: Catalog,
  name: string,
  { ifExists, cascade }: { readonly ifExists: boolean; readonly cascade: boolean },
): void {
  const type = ownType(catalog, name);
  if (type === undefined) {
    if (ifExists) return;
    throw noType(name);
  }
  const isOf = ({ declared }: Pick<Column, "declared">): boolean =>
    type.labels === undefined
      ? declared.domain === name || declared.elementDomain === name
      : declared.labels === type.labels;
  const dependent = (detail: string): Error =>
    failure("dependent", `cannot drop type ${name} because other objects depend on it`, { detail });
  for (const other of catalog.domains.values()) {
    if (!isOf(other)) continue;
    if (!cascade) throw dependent(`type ${other.name} depends on type ${name}`);
    dropType(catalog, other.name, { ifExists, cascade });
  }
  for (const table of catalog.tables.values()) {
    const column = table.columns.find(isOf);
    if (column === undefined) continue;
    if (!cascade)
      throw dependent(`column ${column.name} of table ${table.name} depends on type ${name}`);
    const rest = table.columns
      .filter(isOf)
      .reduce<Table>(
        (changed, each) =>
          alteredTable(catalog, changed, { kind: "drop column", name: each.name, ifExists: true }),
        table,
      );
    catalog.tables.set(table.name, rest);
  }
  catalog.enumerations.delete(name);
  catalog.domains.delete(name);
}

export function renameType(catalog: Catalog, from: string, to: string): void {
  const labels = catalog.enumerations.get(from);
  const domain = catalog.domains.get(from);
  if (ownType(catalog, to) !== undefined)
    throw failure("objectExists", `type "${to}" already exists`);
  if (labels !== undefined) {
    catalog.enumerations.delete(from);
    catalog.enumerations.set(to, labels);
  } else if (domain !== undefined) {
    catalog.domains.delete(from);
    catalog.domains.set(to, { ...domain, name: to });
    changeTypes(catalog, (declared) =>
      declared.domain === from
        ? { ...declared, domain: to }
        : declared.elementDomain === from
          ? { ...declared, elementDomain: to }
          : declared,
    );
  } else throw noType(from);
}

function noType(name: string): Error {
  return failure("noObject", `type "${name}" does not exist`);
}
