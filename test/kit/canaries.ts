import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/** Made-up secrets for one test run, and the search for them in every place that must not hold them. */
export class Canaries {
  /** Every canary begins with it, so that one search finds all. */
  readonly #mark = `canary${randomBytes(6).toString("hex")}`;
  readonly #others: { readonly name: string; readonly secret: string }[] = [];

  /** A new secret from letters and digits. */
  plant(name: string): string {
    return `${this.#mark}${name.replaceAll(/\W/g, "")}${randomBytes(8).toString("hex")}`;
  }

  /** A secret that the platform has made, or that must have its own form. */
  add(name: string, secret: string): string {
    this.#others.push({ name, secret });
    return secret;
  }

  /** The canaries in a text or a file: as they are, in hexadecimal, and within base64. */
  foundIn(content: string | Buffer): string[] {
    const text = typeof content === "string" ? content : content.toString("latin1");
    const contexts = forms(this.#mark).flatMap((form) => {
      const place = text.indexOf(form);
      return place === -1 ? [] : [text.slice(Math.max(0, place - 80), place + 100)];
    });
    const others = this.#others.filter(({ secret }) => forms(secret).some((form) => text.includes(form)));
    return [...contexts, ...others.map(({ name }) => name)];
  }

  /** `schema.table` for every row with a canary. */
  async foundInDatabase(url: string): Promise<string[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema')`,
      );
      const places: string[] = [];
      for (const { name } of tables) {
        const { rows } = await client.query<{ row: string }>(`select stored::text as row from ${name} stored`);
        places.push(...rows.flatMap(({ row }) => this.foundIn(row).map((canary) => `${name}: ${canary}`)));
      }
      if (tables.length < 50) throw new Error("The search has missed the tables of the platform");
      await client.query("checkpoint");
      return places;
    } finally {
      await client.end();
    }
  }

  /** The files below a folder with a canary. */
  async foundInFiles(folder: string): Promise<string[]> {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const places: string[] = [];
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name)).catch(() => Buffer.alloc(0));
      places.push(...this.foundIn(content).map((canary) => `${join(parentPath, name)}: ${canary}`));
    }
    return places;
  }
}

function forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64Forms = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // the first and the last characters depend on the bytes beside
    return text.slice(Math.ceil((shift * 8) / 6), -1);
  });
  return [
    secret,
    bytes.toString("hex"),
    ...base64Forms,
    ...base64Forms.map((form) => Buffer.from(form).toString("hex")),
  ];
}
