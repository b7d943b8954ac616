import { jobResolver } from "@factory/runtime/jobs/job.resolver";
import type { JobService } from "@factory/runtime/jobs/job.service";
import { buildSubgraph, type Subgraph } from "@factory/runtime/subgraph/build-subgraph";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { CompatibilityResolver } from "./compatibility/compatibility.resolver.js";
import type { CompatibilityService } from "./compatibility/compatibility.service.js";
import { ExecutionResolver } from "./executions/execution.resolver.js";
import type { ExecutionService } from "./executions/execution.service.js";
import { ExecutionLinksResolver } from "./executions/execution-links.resolver.js";
import { ExecutionListResolver } from "./executions/execution-list.resolver.js";
import type { ExecutionListService } from "./executions/execution-list.service.js";
import { executionStatusResolver } from "./executions/execution-status.resolver.js";
import type { ExecutionPreviewService } from "./executions/preview/execution-preview.service.js";
import { ScaffoldFileResolver } from "./executions/scaffold-file.resolver.js";
import type { ScaffoldFileService } from "./executions/scaffold-file.service.js";
import { LibraryResolver } from "./libraries/library.resolver.js";
import type { LibraryService } from "./libraries/library.service.js";
import type { LibraryImportService } from "./libraries/library-import.service.js";
import type { LibraryListService } from "./libraries/library-list.service.js";
import { LibraryVersionResolver } from "./libraries/library-version.resolver.js";
import type { LibraryVersionService } from "./libraries/library-version.service.js";
import { LibrarySearchResolver } from "./library-search/library-search.resolver.js";
import type { LibrarySearchService } from "./library-search/library-search.service.js";
import { TemplateResolver } from "./templates/template.resolver.js";
import type { TemplateService } from "./templates/template.service.js";
import type { TemplateListService } from "./templates/template-list.service.js";
import type { TemplatePromotionService } from "./templates/template-promotion.service.js";
import { TemplateVersionResolver } from "./templates/template-version.resolver.js";
import type { TemplateVersionService } from "./templates/template-version.service.js";
import { ValidationResolver } from "./validations/validation.resolver.js";
import type { ValidationService } from "./validations/validation.service.js";
import type { ValidationListService } from "./validations/validation-list.service.js";

export interface CatalogServices {
  readonly jobs: JobService;
  readonly templates: TemplateService;
  readonly versions: TemplateVersionService;
  readonly promotions: TemplatePromotionService;
  readonly executions: ExecutionService;
  readonly previews: ExecutionPreviewService;
  readonly scaffoldFiles: ScaffoldFileService;
  readonly templateLists: TemplateListService;
  readonly executionLists: ExecutionListService;
  readonly validationLists: ValidationListService;
  readonly validations: ValidationService;
  readonly compatibility: CompatibilityService;
  readonly libraries: LibraryService;
  readonly libraryLists: LibraryListService;
  readonly libraryVersions: LibraryVersionService;
  readonly libraryImports: LibraryImportService;
  readonly search: LibrarySearchService;
}

/** The subgraph's schema over its services; no database is touched until a field is resolved. */
export function catalogSchema(services: CatalogServices, logger: Logger): Subgraph {
  const {
    templates,
    versions,
    promotions,
    executions,
    previews,
    scaffoldFiles,
    validations,
    compatibility,
    libraries,
    search,
  } = services;
  const orNull = async <T>(found: Promise<T | undefined>): Promise<T | null> => (await found) ?? null;
  return buildSubgraph({
    logger,
    resolvers: [
      jobResolver("catalog", services.jobs),
      new TemplateResolver(templates, services.templateLists),
      new TemplateVersionResolver(versions, promotions, templates),
      new ExecutionResolver(executions, previews),
      new ExecutionLinksResolver(templates, versions),
      new ExecutionListResolver(services.executionLists),
      executionStatusResolver(executions),
      new ScaffoldFileResolver(scaffoldFiles),
      new ValidationResolver(validations, services.validationLists),
      new CompatibilityResolver(compatibility),
      new LibraryResolver(libraries, services.libraryLists),
      new LibraryVersionResolver(services.libraryVersions, services.libraryImports),
      new LibrarySearchResolver(search),
    ],
    references: {
      Template: {
        auth: { scopes: ["templates.read"] },
        resolve: ({ templateId = "" }, context) => orNull(templates.find(tenantOf(context), templateId)),
      },
      TemplateVersion: {
        auth: { scopes: ["templates.read"] },
        resolve: ({ templateVersionId = "" }, context) => orNull(versions.find(tenantOf(context), templateVersionId)),
      },
      Execution: {
        auth: { scopes: ["templates.read", "templates.execute"] },
        resolve: ({ executionId = "" }, context) => orNull(executions.find(tenantOf(context), executionId)),
      },
      CompatibilityMatrix: {
        auth: { scopes: ["templates.read", "libraries.read"] },
        resolve: ({ matrixId = "" }, context) => orNull(compatibility.find(context, matrixId)),
      },
      Library: {
        auth: { scopes: ["libraries.read"] },
        resolve: ({ libraryId, packageName }, context) =>
          orNull(
            libraryId === undefined
              ? libraries.findByPackage(tenantOf(context), packageName ?? "")
              : libraries.find(tenantOf(context), libraryId),
          ),
      },
    },
  });
}
