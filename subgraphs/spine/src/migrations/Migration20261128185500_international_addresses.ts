import { mailAddress, mailAddressKey } from '@factory/runtime/internet-names/mail-address';
import { Migration } from '@mikro-orm/migrations';

/** A table with addresses, and the condition under which no other row may have the same one. */
interface Addresses {
  readonly table: string;
  readonly id: string;
  readonly address: string;
  readonly key: string | undefined;
  readonly unique?: string;
  /** Which of two rows keeps the address. */
  readonly first?: string;
}

const tables: readonly Addresses[] = [
  {
    ...{ table: 'users', id: 'user_id', address: 'email', key: 'email_key', unique: "status <> 'Deleted'" },
    first: "(verified_email_key is not null) desc, (status = 'Active') desc, created_at, user_id",
  },
  {
    ...{ table: 'invitations', id: 'invitation_id', address: 'email', key: 'email_key', unique: "status = 'Pending'" },
    first: 'created_at desc, invitation_id desc',
  },
  { table: 'notifications', id: 'notification_id', address: 'recipient_email', key: 'recipient_email_key' },
  { table: 'notification_erasures', id: 'user_id', address: 'email_key', key: 'email_key' },
  { table: 'audit_erasures', id: 'user_id', address: 'email', key: undefined },
  { table: 'tenants', id: 'tenant_id', address: 'owner_email', key: undefined },
];

/**
 * Addresses get the form of `mailAddress`, and their keys that of `mailAddressKey`. Of two rows that become equal, one keeps
 * the address and the other stays as it was.
 */
export class Migration20261128185500_international_addresses extends Migration {

  override name = 'Migration20261128185500_international_addresses';

  override async up(): Promise<void> {
    // the owner, too, sees rows of a tenant only, unless it is let off
    const forced = await this.execute(`select relname from pg_class where relnamespace = 'spine'::regnamespace
      and relforcerowsecurity and relname = any (string_to_array('${tables.map(({ table }) => table).join(',')}', ','))`);
    const names = forced.map((row) => String(Reflect.get(row, 'relname')));
    for (const name of names) await this.execute(`alter table "spine"."${name}" no force row level security`);
    for (const addresses of tables) {
      await this.#foldDomains(addresses);
      await this.#convert(addresses);
    }
    for (const name of names) await this.execute(`alter table "spine"."${name}" force row level security`);
  }

  override down(): void {
    // the former spelling is not kept
  }

  /** The keys had their domains in lower case before. */
  async #foldDomains({ table, address }: Addresses): Promise<void> {
    await this.execute(`update "spine"."${table}"
      set ${address} = substring(${address} from '^.*@') || lower(substring(${address} from '[^@]*$'))
      where ${address} ~ '@[^@]*[A-Z][^@]*$'`);
  }

  async #convert({ table, id, address, key, unique = 'false', first = id }: Addresses): Promise<void> {
    const rows = await this.execute(`select tenant_id, ${id} as id, ${address} as address from "spine"."${table}"
      where ${address} ~ '[^\\x01-\\x7e]' order by tenant_id, ${first}`);
    for (const row of rows) {
      const given = String(Reflect.get(row, 'address'));
      const converted = mailAddress(given) ?? given;
      const formKey = mailAddressKey(converted);
      const values = key === address ? [[key, formKey]] : [[address, converted], ...(key ? [[key, formKey]] : [])];
      if (table === 'users') values.push(['verified_email_key', formKey]);
      const set = values.map(([column = '', value = '']) =>
        `${column} = ${column === 'verified_email_key' ? `case when ${column} = email_key then ${literal(value)} end` : literal(value)}`);
      await this.execute(`update "spine"."${table}" self set ${set.join(', ')}
        where tenant_id = '${String(Reflect.get(row, 'tenant_id'))}' and ${id} = '${String(Reflect.get(row, 'id'))}'
          and not (${unique} and exists (select from "spine"."${table}" other where other.tenant_id = self.tenant_id
            and other.${id} <> self.${id} and ${unique.replace(/^status/, 'other.status')}
            and other.${key ?? address} = ${literal(formKey)}))`);
    }
  }

}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;
