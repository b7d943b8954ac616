/** The setting of a connection that names its tools: names with commas between them, each perhaps with a final `*`. */
const setting = "allowedTools";

/** Whether the settings of a connection allow the tool with this name of the server. Without the setting, all are. */
export function isAllowed(configuration: Readonly<Record<string, string>>, name: string): boolean {
  const allowed = Object.hasOwn(configuration, setting) ? configuration[setting] : undefined;
  if (allowed === undefined) return true;
  return allowed
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry));
}
