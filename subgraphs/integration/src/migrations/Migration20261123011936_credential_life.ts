import { Migration } from '@mikro-orm/migrations';

export class Migration20261123011936_credential_life extends Migration {

  override name = 'Migration20261123011936_credential_life';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."credentials" add "expires_at" timestamptz null, add "grace_seconds" int null, add "rotation_interval_days" int null, add "next_rotation_at" timestamptz null, add "rotation_run_id" uuid null, add "expiry_warning_days" int null, add "next_change_at" timestamptz null, add "change_sent_at" timestamptz null;`);
    this.addSql(`create index credentials_due on credentials (next_change_at) where next_change_at is not null;`);
    this.addSql(`create index "credentials_by_creation" on "integration"."credentials" ("tenant_id", "created_at", "credential_id");`);
    this.addSql(`create policy "waiting" on "integration"."credentials" for select to "platform_worker" using (next_change_at is not null);`);

    this.addSql(`alter table "integration"."credential_versions" add "reason" text null, add "grace_seconds" int null, add "expires_at" timestamptz null, add "verification_run_id" uuid null, add "verified_at" timestamptz null, add "promoted_at" timestamptz null, add "retired_at" timestamptz null, add "failed_at" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "waiting" on "integration"."credentials";`);

    this.addSql(`alter table "integration"."credential_versions" drop column "reason", drop column "grace_seconds", drop column "expires_at", drop column "verification_run_id", drop column "verified_at", drop column "promoted_at", drop column "retired_at", drop column "failed_at";`);

    this.addSql(`drop index "integration"."credentials_due";`);
    this.addSql(`drop index "integration"."credentials_by_creation";`);
    this.addSql(`alter table "integration"."credentials" drop column "expires_at", drop column "grace_seconds", drop column "rotation_interval_days", drop column "next_rotation_at", drop column "rotation_run_id", drop column "expiry_warning_days", drop column "next_change_at", drop column "change_sent_at";`);
  }

}
