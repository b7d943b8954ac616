// tables: installation.shared_folders

export const foldersAreKept = "select to_regclass('installation.shared_folders') is not null as kept";

export const storedMarks = `select setting, mark::text, is_written as "isWritten" from installation.shared_folders`;

/** Parameters: setting. A mark that another process has made stays. */
export const makeMark = `insert into installation.shared_folders (setting, mark) values ($1, gen_random_uuid())
  on conflict (setting) do nothing`;

/** Gives the setting another mark, so that the former folder is a foreign one. Parameters: setting. */
export const renewMark = `insert into installation.shared_folders (setting, mark) values ($1, gen_random_uuid())
  on conflict (setting) do update set mark = excluded.mark, is_written = false`;

/** Parameters: setting. */
export const markIsWritten = "update installation.shared_folders set is_written = true where setting = $1";
