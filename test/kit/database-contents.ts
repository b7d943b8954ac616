import pg from "pg";

const ours = "n.nspname not like 'pg\\_%' and n.nspname not in ('information_schema', 'public')";

/** A digest for each table's rows, and what each sequence, constraint and policy is. */
type DatabaseContents = Readonly<Record<string, string>>;

/** Reads everything in a database that its platform has made. `isLeftOut` names tables whose rows do not count. */
export async function contentsOf(url: string, isLeftOut: (table: string) => boolean): Promise<DatabaseContents> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const texts = async (text: string): Promise<[string, string][]> => {
    const { rows } = await client.query<{ name: string; content: string }>(text);
    return rows.map(({ name, content }) => [name, content]);
  };
  try {
    const tables = await texts(
      `select c.oid::regclass::text as name, c.relrowsecurity::text || c.relforcerowsecurity as content
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and ${ours}`,
    );
    const sequences = await texts(
      `select c.oid::regclass::text as name, '' as content
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and ${ours}`,
    );
    const contents: [string, string][] = [];
    for (const [table, security] of tables) {
      if (/_jobs\.queue_stats/.test(table)) continue;
      const digests = isLeftOut(table)
        ? []
        : await texts(
            `select 'rows of ${table}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '')
               as content from ${table} t`,
          );
      contents.push([table, security], ...digests);
    }
    for (const [sequence] of sequences)
      if (!sequence.endsWith("migrations_id_seq"))
        contents.push(
          ...(await texts(`select '${sequence}' as name, last_value || ' ' || is_called as content from ${sequence}`)),
        );
    const constraints = await texts(
      `select conrelid::regclass || ' ' || conname as name, pg_get_constraintdef(c.oid) || convalidated as content
       from pg_constraint c join pg_namespace n on n.oid = c.connamespace where ${ours} and conrelid <> 0
         and conrelid::regclass::text not like '%queue_stats%'`,
    );
    const policies = await texts(
      `select polrelid::regclass || ' ' || polname as name, polcmd::text || coalesce(pg_get_expr(polqual, polrelid), '') as content
       from pg_policy`,
    );
    return Object.fromEntries([...contents, ...constraints, ...policies]);
  } finally {
    await client.end();
  }
}
