import { Migration } from '@mikro-orm/migrations';

export class Migration20261122072411_outbox_status extends Migration {

  override name = 'Migration20261122072411_outbox_status';

  override up(): void | Promise<void> {
    this.addSql(`create index "idempotency_records_created_at" on "catalog"."idempotency_records" ("created_at");`);

    this.addSql(`drop index "catalog"."outbox_unpublished";`);
    this.addSql(`alter table "catalog"."outbox" drop column "txid";`);
    this.addSql(`create index "outbox_published" on "catalog"."outbox" ("published_at") where published_at is not null;`);
    this.addSql(`create index "outbox_unpublished" on "catalog"."outbox" ("seq") where published_at is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "catalog"."idempotency_records_created_at";`);

    this.addSql(`drop index "catalog"."outbox_published";`);
    this.addSql(`drop index "catalog"."outbox_unpublished";`);
    this.addSql(`alter table "catalog"."outbox" add "txid" xid8 not null default pg_current_xact_id();`);
    this.addSql(`create index "outbox_unpublished" on "catalog"."outbox" ("txid", "seq") where published_at IS NULL;`);
  }

}
