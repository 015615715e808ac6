// The script inside libpg-query with PostgreSQL's parser. The package's own entry hides it behind a single instance that cannot be
// replaced: `pgParser.ts` checks its results.
declare module "libpg-query/wasm/libpg-query.js" {
  const initialise: (settings?: Record<string, unknown>) => Promise<unknown>;
  export default initialise;
}
