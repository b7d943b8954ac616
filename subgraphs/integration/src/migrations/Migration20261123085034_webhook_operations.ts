import { Migration } from '@mikro-orm/migrations';

export class Migration20261123085034_webhook_operations extends Migration {

  override name = 'Migration20261123085034_webhook_operations';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."webhook_attempts" add "subscription_id" uuid null, add "request_url" text null, add "request_headers" jsonb null, add "response_headers" jsonb null;`);
    this.addSql(`create index "webhook_attempts_failed" on "integration"."webhook_attempts" ("tenant_id", "subscription_id", "started_at", "attempt_id") where outcome = 'Failed';`);
    this.addSql(`create index "webhook_attempts_subscription" on "integration"."webhook_attempts" ("tenant_id", "subscription_id", "started_at", "attempt_id") where subscription_id is not null;`);

    this.addSql(`create index "webhook_messages_unsent" on "integration"."webhook_messages" ("tenant_id", "subscription_id", "created_at", "message_id") where status in ('Exhausted', 'Aborted', 'Skipped');`);

    this.addSql(`alter table "integration"."webhook_subscriptions" add "version" int not null default 1, add "deleted_at" timestamptz null;`);
    this.addSql(`create index "webhook_subscriptions_deleted_at" on "integration"."webhook_subscriptions" ("deleted_at") where deleted_at is not null;`);
    this.addSql(`create index "webhook_subscriptions_by_time" on "integration"."webhook_subscriptions" ("tenant_id", "created_at", "subscription_id") where status <> 'Deleted';`);
    this.addSql(`create policy "expired" on "integration"."webhook_subscriptions" to "platform_worker" using (deleted_at IS NOT NULL);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "expired" on "integration"."webhook_subscriptions";`);

    this.addSql(`drop index "integration"."webhook_attempts_failed";`);
    this.addSql(`drop index "integration"."webhook_attempts_subscription";`);
    this.addSql(`alter table "integration"."webhook_attempts" drop column "subscription_id", drop column "request_url", drop column "request_headers", drop column "response_headers";`);

    this.addSql(`drop index "integration"."webhook_messages_unsent";`);

    this.addSql(`drop index "integration"."webhook_subscriptions_deleted_at";`);
    this.addSql(`drop index "integration"."webhook_subscriptions_by_time";`);
    this.addSql(`alter table "integration"."webhook_subscriptions" drop column "version", drop column "deleted_at";`);
  }

}
