import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { ParameterChecker } from "../parameters/parameter-checker.js";
import { TemplateSources } from "../remote-credentials/template-sources.js";
import { DraftContents } from "./draft-contents.js";
import { Template } from "./template.entity.js";
import { TemplateResolver } from "./template.resolver.js";
import { TemplateService } from "./template.service.js";
import { TemplateDraftService } from "./template-draft.service.js";
import { TemplateListService } from "./template-list.service.js";
import { TemplatePromotionService } from "./template-promotion.service.js";
import { TemplateVersion } from "./template-version.entity.js";
import { TemplateVersionResolver } from "./template-version.resolver.js";
import { TemplateVersionService } from "./template-version.service.js";

/** Templates and their versions. */
export const templates: SliceModule = {
  slice: "templates",
  entities: [Template, TemplateVersion],
  foreignKeys: {
    "template_versions.template_id": {
      to: "templates.template_id",
      onDelete: "no action",
      why: "A version belongs to its template and is reached only through it.",
    },
  },
  events: [
    "TemplateRegistered",
    "TemplateVersionCreated",
    "TemplateParameterSchemaDefined",
    "TemplateVersionPublished",
    "TemplateVersionDeprecated",
  ],
  start({ database, cursors }, services) {
    const service = services.add(new TemplateService(database));
    const sources = services.get(TemplateSources);
    const parameterChecker = services.get(ParameterChecker);
    services.add(new TemplateVersionService(database, service));
    const contents = new DraftContents(sources, parameterChecker);
    services.add(new TemplateDraftService({ database, templates: service, contents }));
    services.add(new TemplatePromotionService(database));
    services.add(new TemplateListService(database, cursors));
  },
  resolvers: (get) => [
    new TemplateResolver(get(TemplateService), get(TemplateListService)),
    new TemplateVersionResolver({
      versions: get(TemplateVersionService),
      drafts: get(TemplateDraftService),
      promotions: get(TemplatePromotionService),
      templates: get(TemplateService),
    }),
  ],
  references(get) {
    const service = get(TemplateService);
    const versions = get(TemplateVersionService);
    return {
      Template: {
        auth: { scopes: ["templates.read"] },
        resolve: ({ templateId = "" }, context) => service.find(tenantOf(context), templateId),
      },
      TemplateVersion: {
        auth: { scopes: ["templates.read"] },
        resolve: ({ templateVersionId = "" }, context) => versions.find(tenantOf(context), templateVersionId),
      },
    };
  },
};
