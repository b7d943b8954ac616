import { z } from "zod";

const part = z.object({ file: z.string().regex(/^[\w.-]+$/), bytes: z.number(), sha256: z.string() });

/** A backup file. */
export type Part = z.infer<typeof part>;

const table = z.object({
  schema: z.string(),
  name: z.string(),
  columns: z.array(z.string()),
  rows: z.number(),
  part,
});

/** A table's rows in a backup, without its generated columns. */
export type TableCopy = z.infer<typeof table>;

const sequence = z.object({ schema: z.string(), name: z.string(), value: z.string(), used: z.boolean() });

/** A sequence's state in a backup. */
export type SequenceCopy = z.infer<typeof sequence>;

export const manifestForm = z.object({
  format: z.literal(1),
  id: z.string(),
  createdAt: z.string(),
  release: z.string(),
  key: z.object({ salt: z.string(), cost: z.number(), proof: z.string() }),
  /** The data level; 0 for releases before the first level. */
  level: z.number(),
  /** Each subgraph's migrations, and the version of its job tables. */
  schemas: z.array(z.object({ name: z.string(), migrations: z.array(z.string()), jobTables: z.number() })),
  tables: z.array(table),
  sequences: z.array(sequence),
  repositories: z.object({ count: z.number(), part }),
  files: z.object({ count: z.number(), part }),
  keys: part,
});

/** A backup's content. It is written last, so a folder without it is not a backup. */
export type Manifest = z.infer<typeof manifestForm>;

/** All backup files beside the manifest. */
export const partsOf = ({ tables, repositories, files, keys }: Manifest): Part[] => [
  keys,
  ...tables.map((copy) => copy.part),
  repositories.part,
  files.part,
];

export const rowsOf = ({ tables }: Manifest): number => tables.reduce((sum, { rows }) => sum + rows, 0);
