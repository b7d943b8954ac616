/** A file or folder in DATA_DIR. */
interface DataDirectoryEntry {
  readonly name: string;
  /**
   * `process`: exists while the process runs. `cache`: is made again when it is missing. `own`: belongs to this process,
   * and another one has its own. `shared`: is the same for all processes on one database, which refuses a start with
   * another one.
   */
  readonly kind: "process" | "cache" | "own" | "shared";
  readonly holds: string;
}

/** Everything that the platform keeps in DATA_DIR. A walk over a used folder proves that nothing else is there. */
export const dataDirectoryEntries: readonly DataDirectoryEntry[] = [
  { name: "lock", kind: "process", holds: "the lock of the folder" },
  { name: "lock-journal", kind: "process", holds: "the journal of the lock" },
  { name: "lock.pid", kind: "process", holds: "the process that holds the lock" },
  { name: "runtime.json", kind: "process", holds: "the addresses of the running process, for the commands" },
  { name: "repository-cache", kind: "cache", holds: "packs and views of the repositories in the database" },
  { name: "samples", kind: "cache", holds: "the sample template of a development platform" },
  { name: "postgres", kind: "own", holds: "the embedded PostgreSQL, without DATABASE_URL" },
  { name: "postgres.json", kind: "own", holds: "the address and the login of the embedded PostgreSQL" },
  { name: "bootstrap.json", kind: "own", holds: "the client of the platform administrator, for the commands" },
  { name: "clients", kind: "own", holds: "the clients that `npm run token` has made" },
  { name: "outbox", kind: "own", holds: "the mails of a development platform without SMTP" },
  { name: "repositories-moved", kind: "own", holds: "the former repositories, after the database has taken them" },
  { name: "restore.unfinished", kind: "own", holds: "the mark of a restore that has not ended" },
  { name: "secrets.key", kind: "shared", holds: "the keys of a platform without SECRETS_KEY" },
  { name: "tls", kind: "shared", holds: "certificates of gRPC, whose authority is in the database" },
  { name: "files", kind: "shared", holds: "the contents of reports, without FILES_DIR" },
  {
    name: "repositories",
    kind: "shared",
    holds: "repositories of REPOSITORY_STORE=folder, without REPOSITORIES_DIR",
  },
];
