import { Migration } from '@mikro-orm/migrations';

export class Migration20261123014833_api_client_details extends Migration {

  override name = 'Migration20261123014833_api_client_details';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."api_clients" add "details_since" timestamptz null, add "details_event_id" uuid null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."api_clients" drop column "details_since", drop column "details_event_id";`);
  }

}
