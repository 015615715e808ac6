// Where the kinds of anomalies are explained, a page each.

export const DOCUMENTATION = "https://github.com/isolens/isolens/blob/main/docs/anomalies";

/** The page of a kind that has a name. */
export function pageOfKind(kind: string): string {
  return `${DOCUMENTATION}/${kind}.md`;
}
