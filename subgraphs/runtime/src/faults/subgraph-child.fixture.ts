import "reflect-metadata";
import { flushCompileCache } from "node:module";
import type { SubgraphName } from "@factory/schema/subgraph-names";
import { type GraphQLFormattedError, type GraphQLSchema, graphql } from "graphql";
import type { Principal } from "../auth/principal.js";
import { PostgresBus } from "../bus/postgres-bus.js";
import { type DatabaseAccess, schemaConnections } from "../connections/schema-connections.js";
import { type SentError, sentError } from "../jobs/child-processes/child-messages.js";
import { JobProcess } from "../jobs/runs/job-process.js";
import { lockDataDirectory } from "../postgres/data-directory-lock.js";
import { MasterKeys } from "../sealing/master-keys.js";
import type { SubgraphHost } from "../subgraph/subgraph-host.js";
import { createLogger } from "../telemetry/logger.js";
import { continueTrace } from "../telemetry/trace.js";
import { requestContext } from "../tenancy/request-context.js";
import { armFailpoint } from "./failpoint.js";

/** The first message to a subgraph process. */
export interface ChildStart {
  readonly access: DatabaseAccess;
  /** The data directory that the process locks as its own. */
  readonly dataDir: string;
  readonly masterKey: Uint8Array;
  readonly failpoint: string | undefined;
  readonly settings: unknown;
}

export interface ChildCall {
  readonly id: number;
  readonly operation: string;
  readonly given: readonly unknown[];
}

export type FromSubgraph =
  | { readonly ready: true }
  | { readonly id: number; readonly value?: unknown; readonly error?: SentError };

/** The operations that a parent calls. Their arguments and results are cloned between the processes. */
export type Operations = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>;

export interface StartParts<Settings> {
  readonly host: SubgraphHost;
  readonly masterKeys: MasterKeys;
  readonly dataDir: string;
  readonly settings: Settings;
}

interface ServedSubgraph<Of extends Operations> {
  readonly operations: Of;
  close(): Promise<void>;
}

/** A GraphQL operation's result as it is sent to the parent. */
export interface SentResult {
  readonly data?: Record<string, unknown> | null | undefined;
  readonly errors?: readonly GraphQLFormattedError[];
  readonly replayed: boolean;
}

/**
 * The entry point for a program that runs one subgraph for its parent, until the parent stops it or a failpoint kills
 * it.
 */
export function serveParent<Settings, Of extends Operations>(
  name: SubgraphName,
  start: (parts: StartParts<Settings>) => Promise<ServedSubgraph<Of>>,
): void {
  process.once("disconnect", () => process.exit());
  process.once("message", (message) => {
    void serve(name, start, message as ChildStart).catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    });
  });
}

async function serve<Settings, Of extends Operations>(
  name: SubgraphName,
  start: (parts: StartParts<Settings>) => Promise<ServedSubgraph<Of>>,
  { access, dataDir, masterKey, failpoint, settings }: ChildStart,
): Promise<void> {
  if (failpoint !== undefined) armFailpoint(failpoint);
  const lock = lockDataDirectory(dataDir);
  const logger = createLogger(name, "silent");
  const connections = schemaConnections(access, name);
  const bus = await PostgresBus.open(connections.worker, logger);
  const host = { connections, bus, logger, jobProcess: new JobProcess(lock) };
  const masterKeys = new MasterKeys(Buffer.from(masterKey));
  const { operations, ...subgraph } = await start({ host, masterKeys, dataDir, settings: settings as Settings });
  process.on("message", (message) => void answer(operations, message as ChildCall));
  process.once("SIGTERM", () => {
    void (async () => {
      await subgraph.close();
      await bus.close();
      lock.release();
      process.exit();
    })();
  });
  tell({ ready: true });
  flushCompileCache();
}

async function answer(operations: Operations, { id, operation, given }: ChildCall): Promise<void> {
  try {
    tell({ id, value: await operations[operation]?.(...(given as never[])) });
  } catch (error) {
    tell({ id, error: sentError(error) });
  }
}

const tell = (message: FromSubgraph) => void process.send?.(message);

/** Runs a principal's GraphQL operation. */
export const operationsOn =
  (schema: GraphQLSchema) =>
  async (
    principal: Principal | undefined,
    source: string,
    variableValues: Record<string, unknown> = {},
    idempotencyKey?: string,
  ): Promise<SentResult> => {
    const contextValue = requestContext({ principal, trace: continueTrace(undefined), idempotencyKey, internal: true });
    const { data, errors } = await graphql({ schema, source, variableValues, contextValue });
    const { replayed } = contextValue;
    return { data, replayed, ...(errors && { errors: errors.map((error) => error.toJSON()) }) };
  };
