// The documentation pages of the kinds of anomalies.

export const DOCUMENTATION = "https://github.com/isolens/isolens/blob/main/docs/anomalies";

/** The page of a kind that has a name. */
export function pageOfKind(kind: string): string {
  return `${DOCUMENTATION}/${kind}.md`;
}
