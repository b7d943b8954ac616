import { Migration } from '@mikro-orm/migrations';

export class Migration20261128014834_platform_made_clients extends Migration {

  override name = 'Migration20261128014834_platform_made_clients';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" add "created_by_platform" boolean not null default false;`);
    // the owner, too, sees rows of a tenant only, unless it is let off
    this.addSql(`alter table "spine"."api_clients" no force row level security;`);
    this.addSql(`alter table "spine"."audit_records" no force row level security;`);
    // a client of the platform holds the secret, or the audit log has the operation; nothing else proves it
    this.addSql(`update "spine"."api_clients" client set created_by_platform = true
      where client.tenant_id <> '00000000-0000-7000-8000-000000000001'
        and (exists (select from "spine"."api_clients" holder
            where holder.tenant_id = '00000000-0000-7000-8000-000000000001'
              and holder.client_id = any(string_to_array(client.secret_held_by, ' ')))
          or exists (select from "spine"."audit_records" record
            where record.tenant_id = client.tenant_id and record.operation = 'createTenantApiClient'
              and record.outcome = 'Succeeded' and record.subject = 'clients/' || client.client_id));`);
    this.addSql(`alter table "spine"."api_clients" force row level security;`);
    this.addSql(`alter table "spine"."audit_records" force row level security;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" drop column "created_by_platform";`);
  }

}
