import { Migration } from '@mikro-orm/migrations';

export class Migration20261123114632_pull_requests extends Migration {

  override name = 'Migration20261123114632_pull_requests';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."executions" add "connection_id" uuid null, add "provider_id" uuid null, add "requested_pull_request" jsonb null, add "pull_request" jsonb null, add "pull_request_key" text null;`);
    this.addSql(`create index "executions_pull_request" on "catalog"."executions" ("tenant_id", "provider_id", "pull_request_key") where pull_request_key is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "catalog"."executions_pull_request";`);
    this.addSql(`alter table "catalog"."executions" drop column "connection_id", drop column "provider_id", drop column "requested_pull_request", drop column "pull_request", drop column "pull_request_key";`);
  }

}
