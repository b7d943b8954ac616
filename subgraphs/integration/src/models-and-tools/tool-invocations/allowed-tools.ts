/** The connection's setting that names its tools: names with commas between them, each perhaps with a final `*`. */
const setting = "allowedTools";

/** Whether a connection's settings allow the tool with this name on the server. Without the setting, all are. */
export function isAllowedTool(configuration: Readonly<Record<string, string>>, name: string): boolean {
  const patterns = Object.hasOwn(configuration, setting) ? configuration[setting] : undefined;
  if (patterns === undefined) return true;
  return patterns
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry));
}
