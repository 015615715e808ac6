// Quoting of table and column names for SQL.

/** The name, quoted in the style of the product or dialect if necessary. */
export function identifierText(name: string, product: string): string {
  if (/^[a-z_][a-z0-9_]*$/u.test(name) && !RESERVED.has(name)) return name;
  return product === "postgres"
    ? `"${name.replaceAll('"', '""')}"`
    : `\`${name.replaceAll("`", "``")}\``;
}

/** Reserved words of PostgreSQL or MySQL. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "all analyse analyze and any array as asc asymmetric between both by call case cast change check collate column" +
    " concurrently condition constraint create cross current_date current_role current_time current_timestamp" +
    " current_user database default deferrable delete desc describe distinct div do drop each else elseif end except" +
    " exists explain false fetch float for force foreign freeze from full function generated get grant group groups" +
    " having if ignore ilike in index infile initially inner insert int integer intersect interval into is isnull" +
    " iterate join key keys kill lag lateral lead leading leave left like limit lines load localtime localtimestamp" +
    " lock long loop match mod natural not notnull null numeric of off offset on only open option or order out outer" +
    " over overlaps partition placing primary procedure range rank read references release rename repeat replace" +
    " require restrict return returning revoke right row rows schema select session_user set show signal similar some" +
    " ssl symmetric system table tablesample terminated then to trailing trigger true undo union unique unlock unsigned" +
    " update usage use user using values variadic varying verbose virtual when where while window with write xor"
  ).split(" "),
);
