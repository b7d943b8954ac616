import { Migration } from '@mikro-orm/migrations';

export class Migration20261122183027_plan_subscription_periods extends Migration {

  override name = 'Migration20261122183027_plan_subscription_periods';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."plan_subscriptions" add "billing_cycle" text null, add "anchor_at" timestamptz null, add "current_period_start" timestamptz null, add "current_period_end" timestamptz null, add "cancel_at" timestamptz null, add "trial_ends_at" timestamptz null, add "past_due_since" timestamptz null, add "next_change_at" timestamptz null, add "change_sent_at" timestamptz null, add "version" int not null default 1, add "updated_at" timestamptz not null default now();`);
    this.addSql(`create index plan_subscriptions_due on plan_subscriptions (next_change_at) where next_change_at is not null;`);
    this.addSql(`create index "plan_subscriptions_page" on "spine"."plan_subscriptions" ("tenant_id", "created_at", "subscription_id");`);
    this.addSql(`alter table "spine"."plan_subscriptions" add constraint "plan_subscriptions_tenant" unique ("tenant_id");`);
    this.addSql(`create policy "waiting" on "spine"."plan_subscriptions" for select to "platform_worker" using (next_change_at is not null);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "waiting" on "spine"."plan_subscriptions";`);

    this.addSql(`drop index "spine"."plan_subscriptions_due";`);
    this.addSql(`drop index "spine"."plan_subscriptions_page";`);
    this.addSql(`alter table "spine"."plan_subscriptions" drop constraint "plan_subscriptions_tenant";`);
    this.addSql(`alter table "spine"."plan_subscriptions" drop column "billing_cycle", drop column "anchor_at", drop column "current_period_start", drop column "current_period_end", drop column "cancel_at", drop column "trial_ends_at", drop column "past_due_since", drop column "next_change_at", drop column "change_sent_at", drop column "version", drop column "updated_at";`);
  }

}
