// What the process that tries inputs says of each.
export type Answer =
  | { readonly kind: "ready" }
  | { readonly kind: "taken"; readonly way: string }
  | { readonly kind: "crash" | "exception text"; readonly text: string };
