// The hooks of classes whose queries are sent later than they are made, for modules of ECMAScript: `node.cjs`, which
// registers this, tells which ones. Other classes are put in their place, once, however often a module passes here.
let classes = [];
export function initialize(table) {
  classes = table;
}

export async function load(url, context, next) {
  const loaded = await next(url, context);
  const own = classes.filter(({ file }) => file.test(url));
  if (loaded.format !== "module" || own.length === 0) return loaded;
  const source = Buffer.from(loaded.source).toString();
  const lines = own.flatMap(({ name, hook }) =>
    Array.from(
      source.matchAll(name),
      ([, found]) => `\n${found} = globalThis[Symbol.for("isolens.${hook}")](${found});\n`,
    ),
  );
  return source.endsWith(lines.join("")) ? loaded : { ...loaded, source: source + lines.join("") };
}
