// Relations by name, in several schemas: one goes by its name alone until another schema has a relation of that name, then by both.
import { qualifiedName } from "../frontend/sql/relationNames";

interface Housed {
  /** The schema that its definition names. */
  readonly schema?: string;
}

/** Stands between schema and name where a statement names both; no name has it. */
const BETWEEN = "\0";

/** The name of the relation b of the schema a, as statements have it. */
export function inSchema(schema: string, name: string): string {
  return schema + BETWEEN + name;
}

/** Schema and name of a relation that a statement names. */
export function partsOf(written: string): { readonly name: string; readonly schema?: string } {
  const at = written.indexOf(BETWEEN);
  return at < 0 ? { name: written } : { name: written.slice(at + 1), schema: written.slice(0, at) };
}

/** The name for people. */
export function shownName(written: string): string {
  return written.replace(BETWEEN, ".");
}

/** A map in which statements find what they name with its schema, too. */
export class SchemaMap<Kept extends Housed> extends Map<string, Kept> {
  override get(written: string): Kept | undefined {
    const { name, schema } = partsOf(written);
    if (schema === undefined) return super.get(name);
    const own = super.get(qualifiedName(schema, name));
    if (own?.schema === schema) return own;
    const plain = super.get(name);
    // One that was made without a schema may be of any: the search path is not followed.
    return plain?.schema === undefined || plain.schema === schema ? plain : undefined;
  }

  override has(written: string): boolean {
    const { name, schema } = partsOf(written);
    return schema === undefined ? super.has(name) : this.get(written)?.schema === schema;
  }
}

/** The name of a relation that is made; `move` gives one that goes by the same name its schema. */
export function nameOfNew(
  written: string,
  find: (name: string) => Housed | undefined,
  move: (from: string, to: string) => void,
): string {
  const { name, schema } = partsOf(written);
  const other = find(name);
  if (other === undefined || other.schema === schema) return name;
  if (schema !== undefined) return qualifiedName(schema, name);
  if (other.schema !== undefined) move(name, qualifiedName(other.schema, name));
  return name;
}
