import { Migration } from '@mikro-orm/migrations';

export class Migration20261123160853_notification_indexes extends Migration {

  override name = 'Migration20261123160853_notification_indexes';

  override up(): void | Promise<void> {
    this.addSql(`create index notifications_due on notifications (due_at, notification_id) where status = 'Queued';`);
    this.addSql(`create index notifications_all_unread on notifications (tenant_id, notification_id) where channel = 'InApp' and status in ('Sent', 'Delivered');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "spine"."notifications_due";`);
    this.addSql(`drop index "spine"."notifications_all_unread";`);

  }

}
