// The parts that all programs of this folder share: where the server is, and steps whose results are printed one a line, so that
// those of two servers can be compared. Arguments: PRODUCT PORT.
export const product = process.argv[2] ?? "postgres";
export const port = Number(process.argv[3]);
export const address = {
  host: "127.0.0.1",
  port,
  user: "app",
  password: "secret",
  database: "app",
};
export const url = `${product}://app:secret@127.0.0.1:${port}/app`;
export const isPostgres = product === "postgres";

const LONGEST = 20_000;

/** Runs a step and prints its name with what it gave, or with the code that it failed with. */
export async function step(name, run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), LONGEST);
  });
  try {
    const value = await Promise.race([run(), late]);
    console.log(`${name}\t${JSON.stringify(plain(value ?? null))}`);
  } catch (error) {
    console.log(`${name}\t${JSON.stringify({ error: codeOf(error) })}`);
    if (process.env.ISOLENS_CLIENTS_VERBOSE) console.error(name, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The code of the server's error, wherever the library keeps it. */
export function codeOf(error) {
  for (let each = error, depth = 0; each && depth < 5; depth++) {
    const code = each.sqlState ?? each.code ?? each.errno;
    if (typeof code === "string" && /^[0-9A-Z]{5}$/u.test(code)) return code;
    if (each.errno !== undefined) return each.errno;
    each = each.cause ?? each.parent ?? each.driverError ?? each.meta?.driverAdapterError;
  }
  return String(error?.code ?? error?.message ?? error).split("\n")[0];
}

function plain(value) {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return `hex ${Buffer.from(value).toString("hex")}`;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object")
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, plain(each?.toJSON?.() ?? each)]),
    );
  return value;
}

/** The end of the program, whatever is still open. */
export function end() {
  process.exit(0);
}

/** Types of PostgreSQL, each with texts of values. */
export const POSTGRES_TYPES = [
  ["boolean", "true", "false"],
  ["smallint", "-32768", "7"],
  ["integer", "2147483647", "-1"],
  ["bigint", "9223372036854775807", "-9007199254740993"],
  ["numeric", "12345678901234567890.123456789", "NaN", "-0.00001", "0"],
  ["numeric(10,2)", "12.345", "-1"],
  ["real", "1.5", "1e20", "NaN"],
  ["double precision", "0.1", "-1e-300", "Infinity"],
  ["text", "", "naïve 世界 😀", "quote ' and \\ and \"", "line\nbreak"],
  ["varchar(5)", "ab", "äöüßx"],
  ["char(4)", "ab", "abcd"],
  ["bytea", "\\x", "\\x00ff10", "\\xdeadbeef"],
  ["uuid", "00000000-0000-4000-8000-0000000000ff"],
  ["date", "2024-02-29", "0001-01-01"],
  ["time", "12:34:56.789", "00:00:00"],
  ["timestamp", "2024-02-29 12:34:56.123456", "1970-01-01 00:00:00"],
  ["timestamptz", "2024-02-29 12:34:56.123456+00", "1999-12-31 23:59:59+02"],
  ["interval", "1 year 2 mons 3 days 04:05:06.5", "-1 days", "00:00:00"],
  ["json", '{"b": 1,  "a": [null, true]}', "[]"],
  ["jsonb", '{"b": 1,  "a": [null, true]}', '"text"', "1.50"],
  ["integer[]", "{1,NULL,3}", "{}"],
  ["text[]", '{"a b",NULL,"c,d","e\\"f",""}'],
  ["bigint[]", "{9007199254740993}"],
  ["timestamptz[]", '{"2024-02-29 00:00:00+00"}'],
  ["uuid[]", "{00000000-0000-4000-8000-0000000000ff}"],
  ["inet", "192.168.0.1", "10.0.0.0/8", "::1"],
  ["cidr", "10.0.0.0/8"],
  ["macaddr", "08:00:2b:01:02:03"],
  ["int4range", "[1,5)", "empty", "(1,5]"],
  ["tstzrange", '["2024-01-01 00:00:00+00","2024-02-01 00:00:00+00")'],
  ["bit(3)", "101"],
  ["varbit", "10101"],
  ["money", "12.34"],
  ["timetz", "12:34:56+02"],
  ["oid", "4294967295"],
  ["name", "a_name"],
  ["xml", "<a>1</a>"],
  ["point", "(1,2)"],
];

/** Types of MySQL and MariaDB, each with literals of values. */
export const MYSQL_TYPES = [
  ["tinyint(1)", "1", "0"],
  ["tinyint unsigned", "255"],
  ["smallint", "-32768"],
  ["mediumint", "8388607"],
  ["int", "2147483647"],
  ["int unsigned", "4294967295"],
  ["bigint", "-9223372036854775808"],
  ["bigint unsigned", "18446744073709551615"],
  ["decimal(20,5)", "123456789012345.12345", "-0.5"],
  ["float", "1.5"],
  ["double", "0.1", "-1e-300"],
  ["char(4)", "'ab'"],
  ["varchar(20)", "'naïve 世界 😀'", "'quote '' \\\\ \"'"],
  ["text", "'long'", "''"],
  ["varbinary(300)", "x'00ff10'", "x''"],
  ["binary(4)", "x'00ff'"],
  ["blob", "x'deadbeef'"],
  ["bit(8)", "b'101'"],
  ["date", "'2024-02-29'"],
  ["time", "'12:34:56'", "'-01:02:03'"],
  ["time(6)", "'12:34:56.123456'"],
  ["datetime", "'2024-02-29 12:34:56'"],
  ["datetime(6)", "'2024-02-29 12:34:56.123456'"],
  ["timestamp", "'2024-02-29 12:34:56'"],
  ["year", "2024"],
  ["enum('a','b')", "'b'"],
  ["set('x','y','z')", "'x,z'"],
];
