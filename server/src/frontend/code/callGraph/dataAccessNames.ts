// Names by which code asks a database: types of objects that reach one, and their methods.

/** Ends of type names. A mapper may convert records as well: `ASKS` tells which of its calls ask the database. */
const TYPES =
  /(?:Repository|Repo|Dao|DAO|EntityManager|SessionFactory|SqlSession|StatelessSession|Mapper|DSLContext|Jdbi|Sql2o|HibernateTemplate|DatabaseClient|R2dbcEntityTemplate)$/u;

/** Libraries' converters of documents and objects. */
const CONVERTERS = /^(?:Object|Json|JSON|Xml|XML|Yaml|YAML|Csv|CBOR|Model)Mapper$/u;

/** Methods that libraries ask a database by, whatever they are called on. */
const ASKS =
  /^(?:aggregate|average|bulk|count|decrement|delete|destroy|execute|exist|fetch|find|getCount|getExists|getMany|getOne|getRaw|groupBy|increment|insert|maximum|minimum|preload|query|recover|remove|restore|save|select|soft[DR]|sum|truncate|update|upsert)/u;

/** True if types are called so. */
export function isDataAccess(type: string): boolean {
  return TYPES.test(type) && !CONVERTERS.test(type);
}

/** True if a function of that name (as written) is one by which libraries ask a database. */
export function asksByName(name: string): boolean {
  return ASKS.test(/\w*$/u.exec(name)?.[0] ?? "");
}
