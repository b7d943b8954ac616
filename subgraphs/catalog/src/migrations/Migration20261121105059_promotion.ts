import { Migration } from '@mikro-orm/migrations';

export class Migration20261121105059_promotion extends Migration {

  override name = 'Migration20261121105059_promotion';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."compatibility_matrices" add "snapshot_digest" text null;`);

    this.addSql(`alter table "catalog"."template_versions" add "facts" jsonb null, add "published_at" timestamptz null, add "deprecation" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."compatibility_matrices" drop column "snapshot_digest";`);

    this.addSql(`alter table "catalog"."template_versions" drop column "facts", drop column "published_at", drop column "deprecation";`);
  }

}
