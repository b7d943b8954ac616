import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { TemplateSources } from "../../sources/remote-credentials/template-sources.js";
import { ParameterChecker } from "../parameters/parameter-checker.js";
import { DraftContents } from "./draft-contents.js";
import { ReplacedDraft } from "./replaced-draft.entity.js";
import { Template } from "./template.entity.js";
import { TemplateResolver } from "./template.resolver.js";
import { TemplateService } from "./template.service.js";
import { TemplateChangeService } from "./template-change.service.js";
import { TemplateDraftService } from "./template-draft.service.js";
import { TemplateListService } from "./template-list.service.js";
import { TemplatePromotionService } from "./template-promotion.service.js";
import { TemplateVersion } from "./template-version.entity.js";
import { TemplateVersionResolver } from "./template-version.resolver.js";
import { TemplateVersionService } from "./template-version.service.js";

/** Templates and their versions. */
export const templates: SliceModule = {
  slice: "templates",
  entities: [Template, TemplateVersion, ReplacedDraft],
  foreignKeys: {
    "template_versions.template_id": {
      to: "templates.template_id",
      onDelete: "no action",
      why: "A version belongs to its template and is reached only through it.",
    },
    "replaced_drafts.template_version_id": {
      to: "template_versions.template_version_id",
      onDelete: "cascade",
      why: "An earlier revision is reached only through its version.",
    },
  },
  events: [
    "TemplateRegistered",
    "TemplateUpdated",
    "TemplateArchived",
    "TemplateRestored",
    "TemplateVersionCreated",
    "TemplateParameterSchemaDefined",
    "TemplateVersionReplaced",
    "TemplateVersionDeleted",
    "TemplateVersionPublished",
    "TemplateVersionDeprecated",
  ],
  start({ database, cursors }, services) {
    const service = services.add(new TemplateService(database));
    const sources = services.get(TemplateSources);
    const parameterChecker = services.get(ParameterChecker);
    const versions = services.add(new TemplateVersionService(database, service));
    const contents = new DraftContents(sources, parameterChecker);
    services.add(new TemplateDraftService({ database, templates: service, versions, contents }));
    services.add(new TemplatePromotionService(database, services.get(TenantFacts)));
    services.add(new TemplateListService(database, cursors));
    services.add(new TemplateChangeService(database, service));
  },
  resolvers: (get) => [
    new TemplateResolver(get(TemplateService), get(TemplateListService), get(TemplateChangeService)),
    new TemplateVersionResolver({
      versions: get(TemplateVersionService),
      drafts: get(TemplateDraftService),
      promotions: get(TemplatePromotionService),
    }),
  ],
  links: {
    "TemplateVersion.templateId": { to: "Template" },
    "TemplateDeprecation.replacementTemplateVersionId": { to: "TemplateVersion" },
  },
  references(get) {
    const service = get(TemplateService);
    const versions = get(TemplateVersionService);
    return {
      Template: {
        id: { prefix: "tpl", field: "templateId" },
        auth: { scopes: ["templates.read"] },
        resolve: ({ templateId = "" }, context) => service.find(tenantOf(context), templateId),
      },
      TemplateVersion: {
        id: { prefix: "tpv", field: "templateVersionId" },
        auth: { scopes: ["templates.read"] },
        resolve: ({ templateVersionId = "" }, context) => versions.find(tenantOf(context), templateVersionId),
      },
    };
  },
};
