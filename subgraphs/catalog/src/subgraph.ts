import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { GrpcService } from "@factory/runtime/grpc/grpc-service";
import type { SecretResolver } from "@factory/runtime/grpc/secret-resolver";
import { JobService } from "@factory/runtime/jobs/job.service";
import type { JobOperations } from "@factory/runtime/jobs/job-operations";
import type { RelayLag } from "@factory/runtime/outbox/relay";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type SubgraphHost, SubgraphResources } from "@factory/runtime/subgraph/resources";
import type { GraphQLSchema } from "graphql";
import { ApiClientProjection } from "./api-clients/api-client.projection.js";
import { CommandService } from "./commands/command.service.js";
import { promotionEndpoint } from "./commands/promotion.endpoint.js";
import { Promotions } from "./commands/promotions.js";
import { CompatibilityService } from "./compatibility/compatibility.service.js";
import { EarlierRenders } from "./executions/earlier-render.js";
import { ExecutionAcceptance } from "./executions/execution.acceptance.js";
import { ExecutionFailure } from "./executions/execution.failure.js";
import { executionJob, waitingExecutions } from "./executions/execution.job.js";
import { ExecutionRunner } from "./executions/execution.runner.js";
import { ExecutionService } from "./executions/execution.service.js";
import { ExecutionWatch } from "./executions/execution.watch.js";
import { ExecutionListService } from "./executions/execution-list.service.js";
import { ExecutionPreviewService } from "./executions/execution-preview.service.js";
import { ScaffoldFileService } from "./executions/scaffold-file.service.js";
import { Scaffolding } from "./executions/scaffolding.js";
import { requireGit } from "./git/git-version.js";
import type { SourcePolicy } from "./git/remote-policy.js";
import { LibraryService } from "./libraries/library.service.js";
import { LibraryImportService } from "./libraries/library-import.service.js";
import { LibraryListService } from "./libraries/library-list.service.js";
import { LibraryVersionService } from "./libraries/library-version.service.js";
import { LibraryPackageService } from "./library-packages/library-package.service.js";
import { LibrarySearchService } from "./library-search/library-search.service.js";
import { SearchBacklogRunner } from "./library-search/search-backlog.runner.js";
import { SearchReader } from "./library-search/search-reader.js";
import { RemoteCredentials } from "./remote-credentials/remote-credentials.js";
import { TemplateSources } from "./remote-credentials/template-sources.js";
import { RenderingPool } from "./rendering/rendering-pool.js";
import { createGitHttpHandler, type GitReader } from "./repositories/git-http.js";
import { readGitPath, readGitToken } from "./repositories/git-request.js";
import { RepositoryStore } from "./repositories/repository-store.js";
import { catalogSchema } from "./schema.js";
import { SourceReader } from "./sources/source-reader.js";
import { catalogTables } from "./tables.js";
import { TargetResolver } from "./targets/target-resolver.js";
import { TemplatePromotionService } from "./template-versions/template-promotion.service.js";
import { TemplateVersionService } from "./template-versions/template-version.service.js";
import { TemplateService } from "./templates/template.service.js";
import { TemplateListService } from "./templates/template-list.service.js";
import { ValidationService } from "./validations/validation.service.js";
import { ValidationListService } from "./validations/validation-list.service.js";

export interface CatalogSettings {
  readonly publicUrl: string;
  readonly dataDir: string;
  readonly secretsKey: Buffer;
  readonly verifier: Verifier;
  /** File and loopback remotes are allowed. */
  readonly development: boolean;
  readonly allowHosts: readonly string[];
  readonly sourceRoots: readonly string[];
  /** Service index URLs of NuGet v3 feeds, asked in this order. */
  readonly nugetFeeds: readonly string[];
  readonly allowSsh: boolean;
  /** The credential that a tenant may have for a host of its template sources, by `host` or `host:port`. */
  readonly sourceCredentials: ReadonlyMap<string, string>;
  /** Absent: targets and sources that need a credential are refused. */
  readonly secrets?: SecretResolver;
}

export interface Catalog {
  readonly schema: GraphQLSchema;
  /** For the gRPC server of the process this runs in. */
  readonly grpcServices: readonly GrpcService[];
  readonly relay: RelayLag;
  /** For the operator. */
  readonly jobs: JobOperations;
  /** Rejects while the database does not answer. */
  ready(): Promise<void>;
  /** `/git/{tenantSlug}/{owner}/{name}.git`, read-only. */
  git(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

export async function startCatalog(host: SubgraphHost, settings: CatalogSettings): Promise<Catalog> {
  await requireGit();
  const resources = await SubgraphResources.open(host, catalogTables, [executionJob]);
  const { database, jobs } = resources;
  const { logger } = host;
  const store = new RepositoryStore(join(settings.dataDir, "repositories"));
  const policy: SourcePolicy = {
    allowFile: settings.development || settings.sourceRoots.length > 0,
    fileRoots: settings.sourceRoots,
    blockedFileRoots: [store.root],
    allowLoopback: settings.development,
    allowHosts: settings.allowHosts,
    allowSsh: settings.allowSsh,
  };
  const rendering = new RenderingPool({ logger });
  const reader = new SourceReader({ policy, nugetFeeds: settings.nugetFeeds, logger });
  // what may be read from a folder may not be written to it, outside development
  const targetPolicy = { ...policy, allowFile: settings.development };
  const credentials = new RemoteCredentials(settings.secrets);
  const sources = new TemplateSources(reader, credentials, settings.sourceCredentials);
  const targets = new TargetResolver({ store, policy: targetPolicy, publicUrl: settings.publicUrl, credentials });
  const templates = new TemplateService(database);
  const versions = new TemplateVersionService(database, templates, sources);
  const libraries = new LibraryService(database);
  const compatibility = new CompatibilityService({ database, templates, versions, rendering });
  const watch = new ExecutionWatch();
  await watch.start(resources.listener);
  const scaffolding = new Scaffolding({ templates, versions, sources, rendering });
  const acceptance = new ExecutionAcceptance({ jobs, versions, compatibility, targets, rendering });
  const feeds = { reader: database.reader, watch, logger };
  const executions = new ExecutionService({ database, acceptance, feeds });
  const earlierRenders = new EarlierRenders(database, scaffolding);
  const previews = new ExecutionPreviewService({ acceptance, scaffolding, targets, earlierRenders });
  const cursors = new CursorSeal(settings.secretsKey);
  const scaffoldFiles = new ScaffoldFileService(database, cursors);
  const validations = new ValidationService({ database, versions, sources, rendering });
  const searchReader = new SearchReader(host.connections.app, logger);
  const search = new LibrarySearchService(searchReader, cursors);
  const searchBacklog = new SearchBacklogRunner({ database, workerUrl: host.connections.worker, logger });
  void searchBacklog.start();
  const promotions = new TemplatePromotionService(database);
  const libraryVersions = new LibraryVersionService(database);
  const libraryImports = new LibraryImportService(database, libraries, new LibraryPackageService(sources));
  const { schema } = catalogSchema(
    {
      jobs: new JobService(database, jobs, cursors),
      templates,
      versions,
      promotions,
      executions,
      previews,
      scaffoldFiles,
      templateLists: new TemplateListService(database, cursors),
      executionLists: new ExecutionListService(database, cursors),
      validationLists: new ValidationListService(database, cursors),
      validations,
      compatibility,
      libraries,
      libraryLists: new LibraryListService(database, cursors),
      libraryVersions,
      libraryImports,
      search,
    },
    logger,
  );
  const runner = new ExecutionRunner({ database, scaffolding, targets, earlierRenders, watch, logger });
  const stopping = new AbortController();
  const promoting = new Promotions(promotions, libraryVersions);
  await resources.consume(new ApiClientProjection(database).consumer());
  await resources.consume(new CommandService(database, promoting, logger));
  await jobs.work(executionJob, (payload, attempt) => runner.run(payload, attempt), new ExecutionFailure(database));
  resources.sweep(waitingExecutions);
  const git = createGitHttpHandler(store, { authorize: (request) => gitReader(request, settings.verifier), logger });
  return {
    schema,
    grpcServices: [
      promotionEndpoint({
        promotions: promoting,
        imports: libraryImports,
        compatibility,
        verifier: settings.verifier,
        stopping: stopping.signal,
      }),
    ],
    git(request, response) {
      const path = readGitPath(request.url ?? "") ?? { tenant: "", owner: "", name: "", rest: "" };
      void git(request, response, path);
    },
    relay: resources.relay,
    jobs: resources.operations(),
    ready: () => database.reader.ping(),
    async close() {
      stopping.abort();
      await searchBacklog.stop();
      await resources.close();
      await searchReader.close();
      await rendering.close();
      await reader.close();
    },
  };
}

/** Whoever may read or execute templates may clone what they produced. */
async function gitReader(request: IncomingMessage, verifier: Verifier): Promise<GitReader | undefined> {
  const token = readGitToken(request);
  if (token === undefined) return undefined;
  const { tenantId, tenantSlug, scopes } = await verifier.verify(token);
  if (!scopes.has("templates.read") && !scopes.has("templates.execute"))
    throw new DomainError("INSUFFICIENT_SCOPE", { requiredScopes: ["templates.read", "templates.execute"] });
  return tenantId === undefined || tenantSlug === undefined ? undefined : { tenantId, tenantSlug };
}
