// tables: users

/** Those of the users `$2` (UUIDs) who are disabled or deleted. */
export const inactiveAmong = {
  name: "inactive_users",
  text: "select user_id from users where tenant_id = $1 and user_id = any($2::uuid[]) and status <> 'Active'",
};
