import { flag, integer, port, readEnvironment } from "@factory/runtime/environment/read-environment";
import { isNetwork } from "@factory/runtime/ingress/client-address";
import { asciiUrl } from "@factory/runtime/internet-names/ascii-url";
import { asciiAuthority } from "@factory/runtime/internet-names/host-name";
import { z } from "zod";
import { isFeedUrl, isOrigin, isPostgresUrl, isSmtpUrl } from "./environment-urls.js";
import {
  credentialOfHost,
  keys,
  list,
  mailbox,
  sourceCredentials,
  type ToolServerSetting,
  toolServers,
} from "./environment-values.js";

const inAscii = (url: string) => asciiUrl(url) ?? url;

const variables = z
  .object({
    /** Other values are refused, because a misspelled "production" would enable development features. */
    NODE_ENV: z.enum(["development", "test", "production"]).default("development"),
    HOST: z.string().default("127.0.0.1"),
    PORT: port(4000),
    INTERNAL_PORT: port(4001),
    GRPC_PORT: port(4002),
    PUBLIC_URL: z
      .url()
      .refine(
        isOrigin,
        "must be a scheme, a host and perhaps a port, without a path or a query: https://factory.example",
      )
      .optional(),
    DATA_DIR: z.string().default(".data"),
    /** The folder for report contents. If absent, it is DATA_DIR/files. */
    FILES_DIR: z.string().min(1).optional(),
    /** `database`: git packs are rows. `folder`: repositories are in REPOSITORIES_DIR. */
    REPOSITORY_STORE: z.enum(["database", "folder"]).default("database"),
    /** The folder for `REPOSITORY_STORE=folder`, which all processes share. If absent, it is DATA_DIR/repositories. */
    REPOSITORIES_DIR: z.string().min(1).optional(),
    REPOSITORY_MAX_MIB: integer(1, 1_048_576).default(1024),
    /** The limit for one tenant's repositories together. */
    TENANT_REPOSITORIES_MAX_MIB: integer(1, 1_048_576).default(10_240),
    /** The repository cache's size, which REPOSITORY_STORE=database uses. */
    REPOSITORY_CACHE_MIB: integer(1, 16_777_216).default(4096),
    DATABASE_URL: z
      .string()
      .refine(isPostgresUrl, "must be a URL such as postgres://user:password@db.example:5432/factory")
      .optional(),
    /**
     * The prefix for role names. If absent, it is the database's name. A copied database keeps the original's roles
     * when this is the original's name.
     */
    DATABASE_ROLE_PREFIX: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must consist of letters, digits and underscores, and not begin with a digit")
      .optional(),
    /** Seconds without the database after which the process ends with exit code 69. If absent, it waits forever. */
    DATABASE_GIVE_UP_SECONDS: integer(1, 31_536_000).optional(),
    EMBEDDED_DATABASE: flag.optional(),
    POSTGRES_BIN_DIR: z.string().optional(),
    /** At least 32 characters. In development, a missing key is created and stored in DATA_DIR. */
    SECRETS_KEY: z.string().min(32, "must have at least 32 characters").optional(),
    /**
     * Earlier values for SECRETS_KEY, separated by commas or as a JSON array. They decrypt stored values, but do not
     * encrypt new ones.
     */
    SECRETS_KEY_PREVIOUS: keys.refine(
      (previous) => previous.every(({ length }) => length >= 32),
      "must contain only keys of at least 32 characters",
    ),
    /**
     * The name that SECRETS_KEY_PREVIOUS had in earlier releases. Without the refusal, stored secrets would be
     * unreadable.
     */
    FORMER_SECRETS_KEYS: z
      .undefined("is now called SECRETS_KEY_PREVIOUS: move its value there and remove it")
      .optional(),
    PLATFORM_CLIENT_ID: z.string().min(1).optional(),
    PLATFORM_CLIENT_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
    /**
     * `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS. If absent, development writes mail to files,
     * and production sends no mail.
     */
    SMTP_URL: z
      .string()
      .refine(isSmtpUrl, "must be smtp:// or smtps:// with a host and an optional port, without a path or a query")
      .optional(),
    /** The format is `address` or `Name <address>`. */
    MAIL_FROM: mailbox.optional(),
    /**
     * A file with a supergraph SDL, or a folder with each subgraph's SDL. If absent, the committed supergraph is used.
     */
    SUPERGRAPH_FILE: z.string().min(1).optional(),
    /** A file with GraphQL documents, which requests name by their ids. */
    PERSISTED_DOCUMENTS: z.string().min(1).optional(),
    /** Whether only these documents are served at /graphql. */
    PERSISTED_DOCUMENTS_ONLY: flag.default(false),
    LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
    ALLOWED_ORIGINS: list,
    /** Trusted reverse proxies by address or network. Their header X-Forwarded-For gives the client's address. */
    TRUSTED_PROXIES: list.refine(
      (networks) => networks.every(isNetwork),
      "must contain only IP addresses and networks",
    ),
    /** Hosts for sources and targets that may have private addresses or use plain HTTP. */
    ALLOWED_HOSTS: list,
    /** Folders that may hold template repositories for git+file. */
    SOURCE_ROOTS: list,
    /** Service index URLs of the NuGet v3 feeds for `nuget:` sources. */
    NUGET_FEEDS: list.refine(
      (feeds) => feeds.every(isFeedUrl),
      "must contain only http or https URLs without credentials",
    ),
    /** Allows git+ssh sources and ssh targets. Their keys come from credentials. */
    ALLOW_SSH: flag.default(false),
    /**
     * Pairs with a host and a credential, for example `github.com=secret://github`. A tenant may have this credential
     * for template sources on this host.
     */
    SOURCE_CREDENTIALS: sourceCredentials,
    /**
     * Tool servers (Model Context Protocol over stdio) that tenants may use, as a JSON object with names and programs.
     */
    TOOL_SERVERS: toolServers,
    /** The memory that a tool server's program may use. */
    TOOL_SERVER_MEMORY_MIB: integer(16, 65_536).default(512),
    /** Days for which webhook messages and their attempts are kept after they have ended. */
    WEBHOOK_RETENTION_DAYS: integer(1, 3650).default(30),
    /** Days for which vendor deliveries and their ids are kept after their reception. */
    DELIVERY_RETENTION_DAYS: integer(1, 3650).default(30),
    /** Days for which the bus's dead letters are kept. */
    DEAD_LETTER_RETENTION_DAYS: integer(1, 3650).default(30),
    RATE_LIMIT_FACTOR: z.coerce.number().positive().default(1),
    /** For fault tests: the place where this process kills itself, for example execution.pushing:kill:1. */
    FAIL: z.string().optional(),
  })
  .superRefine((values, context) => {
    const problem = (name: string, message: string) => context.addIssue({ code: "custom", path: [name], message });
    if ((values.PLATFORM_CLIENT_ID === undefined) !== (values.PLATFORM_CLIENT_SECRET === undefined))
      problem("PLATFORM_CLIENT_ID", "must be set together with PLATFORM_CLIENT_SECRET");
    if ((values.SMTP_URL === undefined) !== (values.MAIL_FROM === undefined))
      problem("MAIL_FROM", "must be set together with SMTP_URL");
    if (values.PERSISTED_DOCUMENTS_ONLY && values.PERSISTED_DOCUMENTS === undefined)
      problem("PERSISTED_DOCUMENTS_ONLY", "must be set together with PERSISTED_DOCUMENTS");
    if (values.NODE_ENV !== "production") return;
    if (!values.PUBLIC_URL?.startsWith("https://")) problem("PUBLIC_URL", "must be an https URL in production");
    if (values.DATABASE_URL === undefined && !values.EMBEDDED_DATABASE)
      problem("DATABASE_URL", "must be set in production, or set EMBEDDED_DATABASE=true");
    if (values.SECRETS_KEY === undefined) problem("SECRETS_KEY", "must be set in production");
    if (values.FAIL !== undefined) problem("FAIL", "must not be set in production");
    if (values.LOG_LEVEL === "trace") problem("LOG_LEVEL", "must not be trace in production");
  });

/** All variable names, which OPERATING.md and .env.example describe. */
export const settings: readonly string[] = Object.keys(variables.shape).filter(
  (name) => name !== "FORMER_SECRETS_KEYS",
);

/** The process's settings, read from its environment and checked. */
export interface PlatformEnvironment {
  readonly development: boolean;
  readonly host: string;
  readonly port: number;
  readonly internalPort: number;
  readonly grpcPort: number;
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  readonly filesDir: string | undefined;
  readonly repositories: {
    readonly store: "database" | "folder";
    readonly folder: string | undefined;
    readonly repositoryBytes: number;
    readonly tenantBytes: number;
    readonly cacheBytes: number;
  };
  readonly databaseUrl: string | undefined;
  readonly databaseRolePrefix: string | undefined;
  readonly databaseGiveUpMs: number | undefined;
  readonly postgresBinDir: string | undefined;
  readonly secretsKey: string | undefined;
  readonly previousSecretsKeys: readonly string[];
  readonly platformClient: { id: string; secret: string } | undefined;
  readonly smtp: { smtpUrl: string; from: string } | undefined;
  readonly supergraphFile: string | undefined;
  readonly persistedDocuments: { readonly file: string; readonly only: boolean } | undefined;
  readonly logLevel: string;
  readonly allowedOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly sourceRoots: readonly string[];
  readonly nugetFeeds: readonly string[];
  readonly allowSsh: boolean;
  readonly sourceCredentials: ReadonlyMap<string, string>;
  readonly toolServers: ReadonlyMap<string, ToolServerSetting>;
  readonly toolServerBytes: number;
  readonly webhookRetentionDays: number;
  readonly deliveryRetentionDays: number;
  readonly deadLetterRetentionDays: number;
  readonly rateLimitFactor: number;
  readonly failpoint: string | undefined;
}

/** Reads and checks the settings. Throws EnvironmentError, which names every problem at once. */
export function platformEnvironment(processEnv: NodeJS.ProcessEnv = process.env): PlatformEnvironment {
  const values = readEnvironment(variables, processEnv);
  const { PLATFORM_CLIENT_ID: id, PLATFORM_CLIENT_SECRET: secret, SMTP_URL: smtpUrl, MAIL_FROM: from } = values;
  const { PERSISTED_DOCUMENTS: documents } = values;
  return {
    development: values.NODE_ENV !== "production",
    host: values.HOST,
    port: values.PORT,
    internalPort: values.INTERNAL_PORT,
    grpcPort: values.GRPC_PORT,
    publicUrl: values.PUBLIC_URL && inAscii(values.PUBLIC_URL).replace(/\/+$/, ""),
    dataDir: values.DATA_DIR,
    filesDir: values.FILES_DIR,
    repositories: {
      store: values.REPOSITORY_STORE,
      folder: values.REPOSITORIES_DIR,
      repositoryBytes: values.REPOSITORY_MAX_MIB * mebibyte,
      tenantBytes: values.TENANT_REPOSITORIES_MAX_MIB * mebibyte,
      cacheBytes: values.REPOSITORY_CACHE_MIB * mebibyte,
    },
    databaseUrl: values.DATABASE_URL,
    databaseRolePrefix: values.DATABASE_ROLE_PREFIX,
    databaseGiveUpMs: milliseconds(values.DATABASE_GIVE_UP_SECONDS),
    postgresBinDir: values.POSTGRES_BIN_DIR,
    secretsKey: values.SECRETS_KEY,
    previousSecretsKeys: values.SECRETS_KEY_PREVIOUS,
    platformClient: id !== undefined && secret !== undefined ? { id, secret } : undefined,
    smtp: smtpUrl !== undefined && from !== undefined ? { smtpUrl, from } : undefined,
    supergraphFile: values.SUPERGRAPH_FILE,
    persistedDocuments:
      documents === undefined ? undefined : { file: documents, only: values.PERSISTED_DOCUMENTS_ONLY },
    logLevel: values.LOG_LEVEL,
    allowedOrigins: values.ALLOWED_ORIGINS.map(inAscii),
    trustedProxies: values.TRUSTED_PROXIES,
    allowedHosts: values.ALLOWED_HOSTS.map(asciiAuthority),
    sourceRoots: values.SOURCE_ROOTS,
    nugetFeeds: values.NUGET_FEEDS,
    allowSsh: values.ALLOW_SSH,
    sourceCredentials: new Map(values.SOURCE_CREDENTIALS.map(credentialOfHost)),
    toolServers: values.TOOL_SERVERS,
    toolServerBytes: values.TOOL_SERVER_MEMORY_MIB * mebibyte,
    webhookRetentionDays: values.WEBHOOK_RETENTION_DAYS,
    deliveryRetentionDays: values.DELIVERY_RETENTION_DAYS,
    deadLetterRetentionDays: values.DEAD_LETTER_RETENTION_DAYS,
    rateLimitFactor: values.RATE_LIMIT_FACTOR,
    failpoint: values.FAIL,
  };
}

const mebibyte = 1024 * 1024;
const milliseconds = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);

const secretVariables = [
  "SECRETS_KEY",
  "SECRETS_KEY_PREVIOUS",
  "DATABASE_URL",
  "PLATFORM_CLIENT_SECRET",
  "SMTP_URL",
  "BACKUP_PASSPHRASE",
] as const;

/**
 * Removes the secrets from this process's environment after they were read, so that no child process and no diagnostic
 * report has them. Node 24's `report.excludeEnv` leaves out the main thread's environment only: each worker thread's
 * section shows it. A report about an uncaught exception would have the error's message.
 */
export function forgetEnvironmentSecrets(processEnv: NodeJS.ProcessEnv = process.env): void {
  for (const name of secretVariables) delete processEnv[name];
  process.report.excludeEnv = true;
  process.report.reportOnUncaughtException = false;
}

/** Settings for developer tools. */
export function toolEnvironment(processEnv: NodeJS.ProcessEnv = process.env): { dataDir: string } {
  return readEnvironment(
    z.object({ DATA_DIR: z.string().default(".data") }).transform(({ DATA_DIR }) => ({ dataDir: DATA_DIR })),
    processEnv,
  );
}

/** Reads this process's other settings, for a command. Throws EnvironmentError. */
export const commandSettings = <T>(schema: z.ZodType<T>): T => readEnvironment(schema, process.env);

/** This process's environment, with other values for some variables. */
export function environmentWith(variables: Record<string, string>, processEnv: NodeJS.ProcessEnv = process.env) {
  return { ...processEnv, ...variables };
}

/** Returns only the variables that a child process needs to run, without the caller's configuration. */
export function bareEnvironment(processEnv: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const neededNames = ["PATH", "HOME", "LANG", "TMPDIR"];
  return Object.fromEntries(
    Object.entries(processEnv).flatMap(([name, value]) => (neededNames.includes(name) && value ? [[name, value]] : [])),
  );
}
