import { Migration } from '@mikro-orm/migrations';

export class Migration20261128013602_edition_self_service extends Migration {

  override name = 'Migration20261128013602_edition_self_service';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."editions" add "self_service" boolean not null default true;`);

    this.addSql(`alter table "spine"."edition_versions" add "self_service" boolean not null default true;`);

    this.addSql(`create index "tenants_by_plan" on "spine"."tenants" ("subscription_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."edition_versions" drop column "self_service";`);

    this.addSql(`alter table "spine"."editions" drop column "self_service";`);

    this.addSql(`drop index "spine"."tenants_by_plan";`);
  }

}
