import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import { WorkerPool } from "../../workers/worker-pool/worker-pool.js";
import { TemplateVersionService } from "../templates/template-version.service.js";
import { TemplateChecker } from "./template-checker.js";
import { ValidationResolver } from "./validation.resolver.js";
import { ValidationService } from "./validation.service.js";
import { ValidationListService } from "./validation-list.service.js";
import { ValidationResult } from "./validation-result.entity.js";

/** The validation slice, as the catalog composes it. */
export const validations: SliceModule = {
  slice: "validations",
  entities: [ValidationResult],
  foreignKeys: {
    "validation_results.template_version_id": {
      to: "template_versions.template_version_id",
      onDelete: "cascade",
      why: "The findings belong to the content of the version.",
    },
  },
  events: ["TemplateValidated"],
  start({ database, cursors }, services) {
    const versions = services.get(TemplateVersionService);
    const sources = services.get(TemplateSources);
    const checker = new TemplateChecker(services.get(WorkerPool));
    services.add(new ValidationService({ database, versions, sources, checker }));
    services.add(new ValidationListService(database, cursors));
  },
  resolvers: (get) => [new ValidationResolver(get(ValidationService), get(ValidationListService))],
  links: {
    "ValidationResult.templateVersionId": { to: "TemplateVersion" },
  },
  references(get) {
    const service = get(ValidationListService);
    return {
      ValidationResult: {
        id: { prefix: "val", field: "validationResultId" },
        auth: { scopes: ["templates.read"] },
        resolve: ({ validationResultId = "" }, context) => service.find(context, validationResultId),
      },
    };
  },
};
