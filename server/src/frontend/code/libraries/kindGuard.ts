/** Tells data of handles by their kind, which one library alone gives. */
export function kindGuard<Data extends { readonly kind: string }>(kind: Data["kind"]) {
  return (data: unknown): data is Data =>
    typeof data === "object" && data !== null && "kind" in data && data.kind === kind;
}
