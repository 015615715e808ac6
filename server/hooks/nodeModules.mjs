// The hook of postgres.js as a module of ECMAScript, which `node.cjs` registers: another class of queries is put in the
// place of its own, once, however often a module passes here.
const QUERIES = /\/postgres\/src\/query\.js$/;
const CHANGE = '\nQuery = globalThis[Symbol.for("isolens.postgres")](Query);\n';

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== "module" || !QUERIES.test(url)) return loaded;
  const source = Buffer.from(loaded.source).toString();
  return source.endsWith(CHANGE) ? loaded : { ...loaded, source: source + CHANGE };
}
