import { join, resolve } from "node:path";
import { z } from "zod";

/** The settings by which a command finds the installation. The platform's settings have the same names. */
export const installationVariables = z.object({
  DATA_DIR: z.string().default(".data"),
  FILES_DIR: z.string().min(1).optional(),
  REPOSITORIES_DIR: z.string().min(1).optional(),
  DATABASE_URL: z.string().optional(),
  POSTGRES_BIN_DIR: z.string().optional(),
});

export interface InstallationEnvironment {
  readonly dataDir: string;
  readonly filesDir: string;
  /** The folder for `REPOSITORY_STORE=folder`, which is missing otherwise. */
  readonly repositoriesDir: string;
  readonly databaseUrl: string | undefined;
  readonly postgresBinDir: string | undefined;
}

export function installationOf(values: z.infer<typeof installationVariables>): InstallationEnvironment {
  const dataDir = resolve(values.DATA_DIR);
  return {
    dataDir,
    filesDir: resolve(values.FILES_DIR ?? join(dataDir, "files")),
    repositoriesDir: resolve(values.REPOSITORIES_DIR ?? join(dataDir, "repositories")),
    databaseUrl: values.DATABASE_URL,
    postgresBinDir: values.POSTGRES_BIN_DIR,
  };
}
