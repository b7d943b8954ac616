import { Migration } from '@mikro-orm/migrations';

export class Migration20261123172000_approval_levels extends Migration {

  override name = 'Migration20261123172000_approval_levels';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."approvals" add "required_acr" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."approvals" drop column "required_acr";`);
  }

}
