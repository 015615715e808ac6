// The script inside libpg-query that carries PostgreSQL's parser itself. The package's own entry hides it behind
// one instance that cannot be replaced: `pgParser.ts` checks what it returns.
declare module "libpg-query/wasm/libpg-query.js" {
  const initialise: (settings?: Record<string, unknown>) => Promise<unknown>;
  export default initialise;
}
