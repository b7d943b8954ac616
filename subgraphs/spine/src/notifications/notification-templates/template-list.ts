import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import type { NotificationTemplateType } from "./notification-template.type.js";
import { templateColumns } from "./notification-template.view.js";

/** A tenant's own templates, at most 200, and the built-in ones that it has not replaced. */
export const sortedTemplates = new SortedList<NotificationTemplateType, TenantStatement>({
  list: "notification_templates",
  columns: { key: { column: "key", type: "text", unique: true, of: ({ key }) => key } },
  id: { column: "key", type: "text", of: ({ key }) => key },
  byDefault: "key",
  parameters: ["builtIns"],
  statement: (name, { place, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${templateColumns} from (
         select ${templateColumns} from notification_templates where tenant_id = scope.tenant
         union all
         select key, null, null, null, null, null, null from unnest(${place("builtIns")}::text[]) as built_in (key)
         where not exists (
           select from notification_templates own where own.tenant_id = scope.tenant and own.key = built_in.key)) template
       where true ${after} order by ${order} limit ${limit}`,
    ),
});
