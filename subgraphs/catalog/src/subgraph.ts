import type { IncomingMessage, ServerResponse } from "node:http";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { GrpcService } from "@factory/runtime/grpc/grpc-service";
import type { JobOperations } from "@factory/runtime/jobs/administration/job-operations";
import type { JobAttempt } from "@factory/runtime/jobs/definitions/job-definition";
import { JobService } from "@factory/runtime/jobs/job.service";
import type { RelayLag } from "@factory/runtime/outbox/relay";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { type SubgraphHost, SubgraphResources } from "@factory/runtime/subgraph/resources";
import type { GraphQLSchema } from "graphql";
import { ApiClientProjection } from "./api-clients/api-client-projection.js";
import { CommandService } from "./commands/command.service.js";
import { CommandRefusals } from "./commands/command-refusals.js";
import { ImportCommandService, importPackageJob } from "./commands/import-command.service.js";
import { promotionEndpoint } from "./commands/promotion.endpoint.js";
import { Promotions } from "./commands/promotions.js";
import { CompatibilityService } from "./compatibility/compatibility.service.js";
import { UpgradeAdvisor } from "./compatibility/upgrade-advisor.js";
import { executionInChild } from "./execution-child.js";
import { createExecutionServices, type ExecutionSettings } from "./execution-services.js";
import { ExecutionService } from "./executions/execution.service.js";
import { ExecutionListService } from "./executions/execution-list.service.js";
import { ExecutionPreviewService } from "./executions/preview/execution-preview.service.js";
import { type ExecutionPayload, executionJob, waitingExecutions } from "./executions/record/execution-job.js";
import { ExecutionAcceptance } from "./executions/request/execution-acceptance.js";
import { ExecutionFailure } from "./executions/run/execution-failure.js";
import { ScaffoldFileService } from "./executions/scaffold-file.service.js";
import { requireGit } from "./git/git-version.js";
import { LibraryService } from "./libraries/library.service.js";
import { LibraryImportService } from "./libraries/library-import.service.js";
import { LibraryListService } from "./libraries/library-list.service.js";
import { LibraryVersionService } from "./libraries/library-version.service.js";
import { LibraryPackageService } from "./library-packages/library-package.service.js";
import { LibrarySearchService } from "./library-search/library-search.service.js";
import { SearchReader } from "./library-search/search-reader.js";
import { createGitHttpHandler, type GitReader } from "./repositories/git-http.js";
import { readGitPath, readGitToken } from "./repositories/git-request.js";
import { catalogSchema } from "./schema.js";
import { SearchBacklogRunner } from "./search-index/search-backlog.runner.js";
import { catalogTables } from "./tables.js";
import { TemplateListService } from "./templates/template-list.service.js";
import { TemplatePromotionService } from "./templates/template-promotion.service.js";
import { TemplateChecker } from "./validations/template-checker.js";
import { ValidationService } from "./validations/validation.service.js";
import { ValidationListService } from "./validations/validation-list.service.js";

export interface CatalogSettings extends ExecutionSettings {
  readonly masterKeys: MasterKeys;
  readonly verifier: Verifier;
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
  const resources = await SubgraphResources.open(host, catalogTables, [executionJob, importPackageJob]);
  const { database, jobs } = resources;
  const { logger } = host;
  const { masterKeys } = settings;
  const parts = await createExecutionServices(resources, settings, logger);
  const {
    store,
    workers,
    parameterChecker,
    sources,
    targets,
    templates,
    versions,
    watch,
    scaffolding,
    earlierRenders,
  } = parts;
  const libraries = new LibraryService(database);
  const compatibility = new CompatibilityService({
    database,
    templates,
    versions,
    advisor: new UpgradeAdvisor(workers),
  });
  const acceptance = new ExecutionAcceptance({ jobs, versions, compatibility, targets, parameterChecker });
  const feeds = { reader: database.reader, watch, logger };
  const executions = new ExecutionService({ database, acceptance, feeds });
  const previews = new ExecutionPreviewService({ acceptance, scaffolding, targets, earlierRenders });
  const cursors = new CursorSeal(masterKeys.keyring("factory catalog list cursors"), masterKeys.underived);
  const scaffoldFiles = new ScaffoldFileService(database, cursors);
  const validations = new ValidationService({ database, versions, sources, checker: new TemplateChecker(workers) });
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
  const stopping = new AbortController();
  const promoting = new Promotions(promotions, libraryVersions);
  await resources.consume(new ApiClientProjection(database).consumer());
  const refusals = new CommandRefusals(database, logger);
  const commandedImports = new ImportCommandService({ database, jobs, imports: libraryImports, refusals });
  await jobs.work(importPackageJob, (payload) => commandedImports.run(payload), commandedImports);
  await resources.consume(new CommandService({ promotions: promoting, imports: commandedImports, refusals }));
  const runs = {
    here: (payload: ExecutionPayload, attempt: JobAttempt) => parts.runner.run(payload, attempt),
    inChild: executionInChild(host, settings),
  };
  await jobs.work(executionJob, runs, new ExecutionFailure(database));
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
      await parts.close();
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
