// Check that a value survives being written as JSON and read back.

/**
 * True for trees of objects, lists, texts, Booleans, null and numbers that JSON preserves; false for undefined, NaN, infinities, -0,
 * bigints and class instances.
 */
export function survivesJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(survivesJson);
      return (
        Object.getPrototypeOf(value) === Object.prototype &&
        Object.values(value).every(survivesJson)
      );
    default:
      return false;
  }
}
