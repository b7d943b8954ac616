import { Migration } from '@mikro-orm/migrations';

export class Migration20261123113600_webhook_replays extends Migration {

  override name = 'Migration20261123113600_webhook_replays';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."runs" add "progress" jsonb null, add "checkpoint" jsonb null;`);
    this.addSql(`create index "runs_replays" on "integration"."runs" ("tenant_id") where operation = 'ReplayDeliveries' and status in ('Queued', 'Running', 'RetryScheduled');`);

    this.addSql(`alter table "integration"."webhook_messages" add "attempts_before" int not null default 0, add "replay_id" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."runs_replays";`);
    this.addSql(`alter table "integration"."runs" drop column "progress", drop column "checkpoint";`);

    this.addSql(`alter table "integration"."webhook_messages" drop column "attempts_before", drop column "replay_id";`);
  }

}
