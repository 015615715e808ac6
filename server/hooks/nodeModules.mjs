// The hooks of classes whose queries are sent later than they are made, for modules of ECMAScript, which `node.cjs`
// registers: another class is put in the place of their own, once, however often a module passes here.
const CLASSES = [
  [/\/postgres\/src\/query\.js$/, "Query", "postgres"],
  [/\/drizzle-orm\/query-promise\.js$/, "QueryPromise", "lazy"],
  [/\/drizzle-orm\/query-builders\/query-builder\.js$/, "TypedQueryBuilder", "placed"],
];

export async function load(url, context, next) {
  const loaded = await next(url, context);
  const [, name, hook] = CLASSES.find(([pattern]) => pattern.test(url)) ?? [];
  if (loaded.format !== "module" || name === undefined) return loaded;
  const source = Buffer.from(loaded.source).toString();
  const change = `\n${name} = globalThis[Symbol.for("isolens.${hook}")](${name});\n`;
  return source.endsWith(change) ? loaded : { ...loaded, source: source + change };
}
