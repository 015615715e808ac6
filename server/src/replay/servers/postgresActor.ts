// The replay user on PostgreSQL: a role without attributes or memberships.
import { randomBytes } from "node:crypto";
import { asAdministrator, firstLogin, NoActor, type Actor } from "./actor";
import type { LiveSession } from "./liveSession";

/** Connects as a role with a password, to the administrator's server. */
export type LogIn = (user: string, password: string) => Promise<LiveSession>;

/**
 * Creates the role, with all rights in the administrator's `schemas`. Throws `NoActor` if a right is missing, or if PUBLIC, and so the
 * role, has rights on anything else; the role is dropped then.
 */
export async function postgresActor(
  admin: LiveSession,
  name: string,
  schemas: readonly string[],
  logIn: LogIn,
): Promise<Actor> {
  const password = randomBytes(24).toString("hex");
  await asAdministrator(
    admin,
    `CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD '${password}'`,
    "give your user the right to make roles (ALTER ROLE ... CREATEROLE), or use --server embedded",
  );
  const drop = async (): Promise<void> => {
    await asAdministrator(admin, `DROP OWNED BY ${name} CASCADE`, `drop the role ${name} by hand`);
    await asAdministrator(admin, `DROP ROLE ${name}`, `drop the role ${name} by hand`);
  };
  try {
    // Only a superuser may end the sessions of a role without being its member.
    const mayAll = await admin.execute("SHOW is_superuser");
    if (!mayAll.ok || mayAll.rows[0]?.["is_superuser"] !== "on")
      await asAdministrator(admin, `GRANT ${name} TO CURRENT_USER`, "your user must be able to");
    for (const schema of schemas)
      await asAdministrator(
        admin,
        `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${name}`,
        `your user must own the schema ${schema}`,
      );
    const open = (): Promise<LiveSession> => logIn(name, password);
    const first = await firstLogin(open, "pg_hba.conf must let new roles in with a password");
    try {
      await refuseReach(first, name, schemas);
    } finally {
      await first.close();
    }
    return { open, drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Throws `NoActor` if the role can reach something beside its schemas: whatever is granted to PUBLIC. */
async function refuseReach(
  session: LiveSession,
  name: string,
  schemas: readonly string[],
): Promise<void> {
  const own = ["pg_catalog", "information_schema", "pg_toast", ...schemas];
  const others = own.map((each) => `'${each.replaceAll("'", "''")}'`).join(", ");
  const result = await session.execute(REACHED.replaceAll("$OWN", others));
  if (!result.ok) throw new NoActor(`what ${name} can reach is not told: ${result.message}`);
  const [found] = result.rows;
  if (found === undefined) return;
  throw new NoActor(
    `everyone on this server ${String(found["what"])}, and so would the workspace's statements; take that back (${String(found["remedy"])}), or use --server embedded`,
  );
}

/** One row for each object outside of its schemas that the current user may use. Only names of pg_catalog are resolved. */
const REACHED = `
WITH open AS (
  SELECT oid, nspname FROM pg_catalog.pg_namespace n
  WHERE nspname NOT IN ($OWN) AND nspname !~ '^pg_(toast_)?temp_'
), used AS (
  SELECT * FROM open WHERE pg_catalog.has_schema_privilege(oid, 'USAGE')
)
SELECT * FROM (
SELECT 'may create in the database' AS what,
    pg_catalog.format('REVOKE CREATE ON DATABASE %I FROM PUBLIC', pg_catalog.current_database()) AS remedy
  WHERE pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
UNION ALL
SELECT pg_catalog.format('may create in the schema %I', nspname),
    pg_catalog.format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', nspname)
  FROM open WHERE pg_catalog.has_schema_privilege(oid, 'CREATE')
UNION ALL
SELECT pg_catalog.format('may use %I.%I', nspname, relname),
    pg_catalog.format('REVOKE ALL ON %I.%I FROM PUBLIC', nspname, relname)
  FROM pg_catalog.pg_class c JOIN used ON used.oid = relnamespace
  WHERE CASE WHEN relkind IN ('r', 'p', 'v', 'm', 'f')
      THEN pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
        OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES')
        OR (pg_catalog.has_any_column_privilege(c.oid, 'SELECT') AND NOT EXISTS (
          SELECT FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e'))
      WHEN relkind = 'S' THEN pg_catalog.has_sequence_privilege(c.oid, 'USAGE, SELECT, UPDATE')
      ELSE false END
UNION ALL
SELECT pg_catalog.format('may call %I.%I, which has the rights of its owner', nspname, proname),
    pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::pg_catalog.regprocedure)
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = pronamespace
  WHERE prosecdef AND nspname NOT IN ('information_schema') AND p.oid >= 16384
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
UNION ALL
SELECT pg_catalog.format('may connect elsewhere by the extension %I', extname),
    pg_catalog.format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::pg_catalog.regprocedure)
  FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_depend d ON d.refobjid = e.oid AND d.deptype = 'e'
  JOIN pg_catalog.pg_proc p ON p.oid = d.objid
  WHERE extname IN ('dblink', 'http', 'pg_net', 'pg_cron', 'adminpack', 'file_fdw')
    AND prorettype <> 'pg_catalog.fdw_handler'::pg_catalog.regtype
    AND pg_catalog.has_schema_privilege(pronamespace, 'USAGE')
    AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
UNION ALL
SELECT pg_catalog.format('may use the foreign server %I', srvname),
    pg_catalog.format('REVOKE USAGE ON FOREIGN SERVER %I FROM PUBLIC', srvname)
  FROM pg_catalog.pg_foreign_server WHERE pg_catalog.has_server_privilege(oid, 'USAGE')
UNION ALL
SELECT pg_catalog.format('is a member of %I', r.rolname), 'REVOKE it'
  FROM pg_catalog.pg_roles r
  WHERE r.rolname <> current_user AND pg_catalog.pg_has_role(r.oid, 'MEMBER')
) reached LIMIT 1`;
