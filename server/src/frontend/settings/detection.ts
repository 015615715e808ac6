// Signs of a workspace's database where nothing is configured: the product, the level of transactions that name none,
// and which line says it.
import { findLevel, type ProductLevel } from "../../isolation/levels";
import { dialectLabel, sameFamily, type Dialect } from "../../program/dialect";
import type { SettingSign } from "./settingSigns";

/** Something that a line says, with its place for people: `docker-compose.yml:12`. */
export interface Finding<Value> {
  readonly value: Value;
  readonly place: string;
}

export interface Detection {
  readonly dialect?: Finding<Dialect>;
  readonly level?: Finding<ProductLevel>;
  /** Contradictions of lines, as sentences. */
  readonly remarks: readonly string[];
}

/**
 * The product, where all settings agree, else where most do; `known` is what SQL or code say, which only a container's
 * image makes more precise (MariaDB, of what speaks to MySQL).
 */
export function detectedDialect(
  signs: readonly SettingSign[],
  known: Dialect | undefined,
): Finding<Dialect> | undefined {
  const named = signs.flatMap((sign) => (sign.dialect ? [{ sign, dialect: sign.dialect }] : []));
  const products = named.filter(({ sign }) => sign.isProduct === true);
  const found = (each: (typeof named)[number]): Finding<Dialect> => ({
    value: each.dialect,
    place: placeOf(each.sign),
  });
  if (known !== undefined) {
    const own = products.filter(({ dialect }) => sameFamily(dialect, known));
    const [first] = own;
    return first && own.every(({ dialect }) => dialect === first.dialect)
      ? found(first)
      : undefined;
  }
  const counts = new Map<Dialect, number>();
  for (const { dialect } of named) counts.set(dialect, (counts.get(dialect) ?? 0) + 1);
  const [best] = [...counts].sort((a, b) => b[1] - a[1]);
  const exact = products.find(({ dialect }) => best && sameFamily(dialect, best[0]));
  const first = exact ?? named.find(({ dialect }) => dialect === best?.[0]);
  return first && found(first);
}

/** The level that all signs for that product agree on, and a remark where they do not. */
export function detectedLevel(
  signs: readonly SettingSign[],
  dialect: Dialect,
): Pick<Detection, "level" | "remarks"> {
  const found = signs.flatMap((sign) => {
    const { level: written, levelOf } = sign;
    if (written === undefined || (levelOf && !sameFamily(levelOf, dialect))) return [];
    const level = findLevel(`${dialect}:${written.replaceAll(" ", "-")}`);
    return level?.family === "product" ? [{ value: level, place: placeOf(sign) }] : [];
  });
  const [first] = found;
  if (first === undefined) return { remarks: [] };
  const other = found.find(({ value }) => value.name !== first.value.name);
  if (other === undefined) return { level: first, remarks: [] };
  return {
    remarks: [
      `${first.place} says ${first.value.label} and ${other.place} says ${other.value.label}; neither was taken. "level" in isolens.json decides`,
    ],
  };
}

/** Where settings name several products and nothing else tells which one is meant. */
export function dialectRemarks(
  signs: readonly SettingSign[],
  { value, place }: Finding<Dialect>,
): readonly string[] {
  const other = signs.find(({ dialect }) => dialect && !sameFamily(dialect, value));
  if (other?.dialect === undefined) return [];
  return [
    `${place} says ${dialectLabel(value)} and ${placeOf(other)} says ${dialectLabel(other.dialect)}; ${dialectLabel(value)} was taken. "dialect" in isolens.json decides otherwise`,
  ];
}

function placeOf({ file, line }: SettingSign): string {
  return `${file}:${String(line + 1)}`;
}
