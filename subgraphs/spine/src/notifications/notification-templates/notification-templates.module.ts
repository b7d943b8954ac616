import { tenantKey } from "@factory/runtime/graphql/entity-reference";
import { heldObjectResolver, keyIdResolver } from "@factory/runtime/graphql/object-fields";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { NotificationTemplate } from "./notification-template.entity.js";
import { NotificationTemplateResolver } from "./notification-template.resolver.js";
import { NotificationTemplateService } from "./notification-template.service.js";
import { NotificationTemplateType, SetNotificationTemplateType } from "./notification-template.type.js";
import { TemplateChangeService } from "./template-change.service.js";

/** Notification templates: their language, the built-in ones, and the tenants' own. */
export const notificationTemplates: SliceModule = {
  slice: "notification-templates",
  entities: [NotificationTemplate],
  events: ["NotificationTemplateUpdated", "NotificationTemplateDeleted"],
  start({ database, cursors }, services) {
    const settings = services.get(TenantSettings);
    services.add(new NotificationTemplateService(database, cursors, settings));
    services.add(new TemplateChangeService(database, settings));
  },
  resolvers: (get) => [
    new NotificationTemplateResolver(get(NotificationTemplateService), get(TemplateChangeService)),
    keyIdResolver(NotificationTemplateType, "ntt"),
    heldObjectResolver(SetNotificationTemplateType, NotificationTemplateType, {
      name: "template",
      description: "The template after the change.",
    }),
  ],
  references(get) {
    const service = get(NotificationTemplateService);
    return {
      NotificationTemplate: {
        id: tenantKey("ntt"),
        auth: { scopes: ["config.read"] },
        resolve: ({ key = "" }, context) => service.get(context, key),
      },
    };
  },
};
