import { Migration } from '@mikro-orm/migrations';

export class Migration20261128184500_awaited_material extends Migration {

  override name = 'Migration20261128184500_awaited_material';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."credentials" add "material_due_at" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."credentials" drop column "material_due_at";`);
  }

}
