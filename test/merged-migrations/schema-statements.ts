import { plainCondition, plainSql } from "./plain-sql.js";
import type {
  CatalogColumn,
  CatalogFunction,
  CatalogPolicy,
  CatalogSchema,
  CatalogTable,
  Grant,
} from "./read-schema.js";

const widest = 116;

/** The privileges that the schema's default privileges give to the app and to the workers. */
const usual = ["delete", "insert", "select", "update"];

/** The names that roles have in migrations, by their names in the database. */
export type RoleNames = Readonly<Record<string, string>>;

/** The statements that make a table with everything that belongs to it. */
export function tableStatements(schema: string, table: CatalogTable, roles: RoleNames): string[] {
  const whole = `${schema}.${table.name}`;
  const firstIndex = table.indexes.findIndex(({ constraint }) => constraint === null);
  const inside = firstIndex < 0 ? table.indexes : table.indexes.slice(0, firstIndex);
  const lines = [
    ...table.columns.map((column) => columnText(schema, table.name, column)),
    ...inside.map(({ name, definition, primary }) =>
      primary && name === `${table.name}_pkey` ? plainSql(definition) : `constraint ${name} ${plainSql(definition)}`,
    ),
    ...table.checks.map(({ name, definition }) => `constraint ${name} ${checkText(definition)}`),
  ];
  const options = table.options ? ` with (${table.options.join(", ").replaceAll("=", " = ")})` : "";
  const security = [table.secured && "enable", table.forced && "force"].filter((word) => word !== false);
  return [
    `create table ${whole} (\n${lines.map((line) => `    ${line}`).join(",\n")}\n  )${options}`,
    // A server before version 16 does not take it in the column.
    ...table.columns.flatMap(({ written, storage }) =>
      storage === null ? [] : [`alter table ${whole} alter column ${written} set storage ${storage}`],
    ),
    ...table.indexes
      .slice(inside.length)
      .map(({ constraint, definition }) =>
        constraint === null
          ? indexText(definition)
          : `alter table ${whole} add constraint ${constraint} ${plainSql(definition)}`,
      ),
    ...(security.length === 0
      ? []
      : [`alter table ${whole} ${security.map((word) => `${word} row level security`).join(", ")}`]),
    ...table.policies.map((policy) => policyText(whole, policy, roles)),
    ...privilegeStatements(`${whole}`, table.grants, roles, schema),
    ...table.triggers.map(({ definition }) => plainSql(definition)),
  ];
}

const serialTypes: Readonly<Record<string, string>> = {
  bigint: "bigserial",
  integer: "serial",
  smallint: "smallserial",
};

function columnText(schema: string, table: string, column: CatalogColumn): string {
  const { name, written, expression, generated, collation, required, requirement } = column;
  const isSerial = expression === `nextval('${schema}.${table}_${name}_seq'::regclass)`;
  const type = isSerial ? serialTypes[column.type] : plainSql(column.type);
  return [
    `${written} ${type}`,
    collation === null ? "" : ` collate "${collation}"`,
    required && !isSerial
      ? isUsual(requirement, table, name)
        ? " not null"
        : ` constraint ${requirement} not null`
      : "",
    expression === null || isSerial
      ? ""
      : generated
        ? ` generated always as (${plainCondition(expression)}) stored`
        : ` default ${plainSql(expression)}`,
  ].join("");
}

const isUsual = (requirement: string | null, table: string, column: string): boolean =>
  requirement === null || requirement === `${table}_${column}_not_null`;

const checkText = (definition: string): string =>
  plainSql(definition).replace(/^check \((.*)\)$/s, (_, condition: string) => `check (${plainCondition(condition)})`);

function indexText(definition: string): string {
  const [columns = "", condition] = plainSql(definition).replace(" using btree (", " (").split(" where ");
  if (condition === undefined) return columns;
  const where = `where ${plainCondition(condition)}`;
  const line = `${columns} ${where}`;
  return line.length <= widest ? line : `${columns}\n    ${where}`;
}

function policyText(table: string, policy: CatalogPolicy, roles: RoleNames): string {
  const names = policy.roles.map((role) => (role === "public" ? role : `"${roles[role] ?? role}"`));
  const head = [
    `create policy ${policy.name} on ${table}`,
    policy.permissive ? "" : " as restrictive",
    policy.command === "all" ? "" : ` for ${policy.command}`,
    names.join() === "public" ? "" : ` to ${names.join(", ")}`,
  ].join("");
  const conditions = [
    policy.using === null ? "" : `using (${plainCondition(policy.using)})`,
    policy.check === null ? "" : `with check (${plainCondition(policy.check)})`,
  ].filter((condition) => condition !== "");
  const line = [head, ...conditions].join(" ");
  return line.length <= widest ? line : [head, ...conditions].join("\n    ");
}

/** The app's and the workers' privileges, where they differ from the schema's default privileges. */
function privilegeStatements(object: string, grants: readonly Grant[], roles: RoleNames, schema: string): string[] {
  return [`${schema}_app`, `${schema}_worker`].flatMap((role) => {
    const privileges = grants.find((grant) => roles[grant.role] === role)?.privileges ?? [];
    if (privileges.join() === usual.join()) return [];
    // by "all", since a server refuses a privilege name that a later version has added
    const revocation = `revoke all on ${object} from "${role}"`;
    return privileges.length === 0
      ? [revocation]
      : [revocation, `grant ${privileges.join(", ")} on ${object} to "${role}"`];
  });
}

/** The statements that make a function with its privileges. Its body stays as it is. */
export function functionStatements({ definition, signature, grants }: CatalogFunction, roles: RoleNames): string[] {
  const [, head = "", body = ""] = /^(.*?)\n(as \$function\$.*)$/is.exec(definition.trimEnd()) ?? [];
  const plainHead = plainSql(head).replace("create or replace", "create").replaceAll(/\n /g, "\n    ");
  const functionName = `function ${plainSql(signature).replaceAll(",", ", ")}`;
  const isOpen = grants.some(({ role }) => role === "public");
  return [
    `${plainHead}\n    ${body.replace("AS", "as")}`,
    ...(isOpen ? [] : [`revoke all on ${functionName} from public`]),
    ...grants
      .filter(({ role }) => role !== "public")
      .map(({ role }) => `grant execute on ${functionName} to "${roles[role] ?? role}"`),
  ];
}

/** The statement that adds a foreign key to a table. */
export function foreignKeyStatement({ table, name, definition }: CatalogSchema["foreignKeys"][number]): string {
  const lines = plainSql(definition)
    .replace(" references ", "\n    references ")
    .replace(/(references [\w.]+)\(/, "$1 (")
    .replace(/(?: on delete \w+)? deferrable/, "\n   $&");
  return `alter table ${table} add constraint ${name}\n    ${lines}`;
}
