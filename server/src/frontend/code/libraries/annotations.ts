// Decorators by name, whatever they are imported through: `@Column`, `@orm.Column`.
import type { HirAnnotation } from "../hir";

/** The last part of its name. */
export function plainName({ name }: HirAnnotation): string {
  return name.split(".").at(-1) ?? name;
}

/** The first of these annotations that has one of these names. */
export function findAnnotation(
  annotations: readonly HirAnnotation[],
  ...names: readonly string[]
): HirAnnotation | undefined {
  return annotations.find((each) => names.includes(plainName(each)));
}
