import { Migration } from '@mikro-orm/migrations';

export class Migration20261123014309_connection_health extends Migration {

  override name = 'Migration20261123014309_connection_health';

  override up(): void | Promise<void> {
    this.addSql(`drop index "integration"."connections_due";`);
    this.addSql(`alter table "integration"."connections" add "health_reason" text null, add "failure_days" jsonb not null default '{}';`);
    this.addSql(`create index "connections_due" on "integration"."connections" ("tenant_id", "next_probe_at") where status = 'Active';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."connections_due";`);
    this.addSql(`alter table "integration"."connections" drop column "health_reason", drop column "failure_days";`);
    this.addSql(`create index "connections_due" on "integration"."connections" ("next_probe_at") where status = 'Active'::text;`);
  }

}
