import { createTwoFilesPatch, OMIT_HEADERS } from "diff";

interface ChangedFile {
  readonly path: string;
  readonly oldMode: string | undefined;
  readonly mode: string;
  readonly oldBytes: Uint8Array | undefined;
  readonly newBytes: Uint8Array | undefined;
}

const maxTextBytes = 256 * 1024;
const timeoutMs = 200;
// Git inspects as many bytes to distinguish text from binary.
const inspectedBytes = 8000;

/**
 * A file's unified diff, for `git apply`. Undefined when it is binary, too large, or too different to be compared in
 * time.
 */
export function fileDiff(file: ChangedFile): string | undefined {
  const [before, after] = [asText(file.oldBytes), asText(file.newBytes)];
  if (before === undefined || after === undefined) return undefined;
  const hunks = createTwoFilesPatch("", "", before, after, undefined, undefined, {
    context: 3,
    timeout: timeoutMs,
    headerOptions: OMIT_HEADERS,
  });
  if (hunks === undefined) return undefined;
  const [a, b] = [`a/${file.path}`, `b/${file.path}`];
  const head = [`diff --git ${quoted(a)} ${quoted(b)}`, ...modeLines(file)];
  if (before !== after)
    head.push(`--- ${side(a, file.oldBytes)}`, `+++ ${side(b, file.newBytes)}`, hunks.replace(/\n+$/, ""));
  return `${head.join("\n")}\n`;
}

function modeLines({ oldMode, mode, newBytes }: ChangedFile): string[] {
  if (oldMode === undefined) return [`new file mode ${mode}`];
  if (newBytes === undefined) return [`deleted file mode ${oldMode}`];
  return oldMode === mode ? [] : [`old mode ${oldMode}`, `new mode ${mode}`];
}

function asText(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return "";
  if (bytes.length > maxTextBytes || bytes.subarray(0, inspectedBytes).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function side(name: string, bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return "/dev/null";
  // Git ends a name that contains a space with a tab.
  return name.includes(" ") && quoted(name) === name ? `${name}\t` : quoted(name);
}

/** Quotes a name as git does. Git accepts letters beyond ASCII unquoted. */
function quoted(name: string): string {
  return /["\\]|\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}
