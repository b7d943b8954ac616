import type { TreeFile } from "@factory/template-engine/file-tree";
import { fileMode } from "../../git/git/tree-listing.js";
import type { Workspace } from "../../git/git/workspace.js";

/** Message, author and date for the commit that a scaffold becomes. */
export interface CommitMetadata {
  /** Subject, body and trailers. A repeated push finds its own commit by the trailer `Execution-Id`. */
  message: string;
  authorName: string;
  authorEmail: string;
  date: Date;
}

export interface ScaffoldCommit {
  readonly commitSha: string;
  readonly treeSha: string;
}

interface CommitContent {
  readonly files: ReadonlyMap<string, TreeFile>;
  readonly deleted: readonly string[];
  readonly metadata: CommitMetadata;
}

/**
 * Writes files over a parent as one commit. The author is the committer and the date is given, so that the commit's id
 * depends on parent, content and metadata alone.
 */
export async function writeCommit(
  workspace: Workspace,
  parent: string | null,
  content: CommitContent,
): Promise<ScaffoldCommit> {
  const ref = "refs/scaffold/next";
  const stream = commitStream(ref, parent, content);
  await workspace.git(["fast-import", "--quiet", "--done", "--force", "--date-format=raw"], { input: stream });
  const ids = await workspace.git(["rev-parse", `${ref}^{commit}`, `${ref}^{tree}`]);
  const [commitSha = "", treeSha = ""] = ids.toString("utf8").split("\n");
  return { commitSha, treeSha };
}

function commitStream(ref: string, parent: string | null, { files, deleted, metadata }: CommitContent): Buffer {
  const seconds = Math.floor(metadata.date.getTime() / 1000);
  const identity = `${plain(metadata.authorName)} <${plain(metadata.authorEmail)}> ${seconds} +0000`;
  const message = Buffer.from(metadata.message.endsWith("\n") ? metadata.message : `${metadata.message}\n`);
  const parts: Uint8Array[] = [
    // An earlier attempt's ref must not become the parent.
    Buffer.from(`reset ${ref}\n${parent === null ? "" : `from ${parent}\n`}\n`),
    Buffer.from(`commit ${ref}\nauthor ${identity}\ncommitter ${identity}\ndata ${message.length}\n`),
    message,
    Buffer.from(parent === null ? "\n" : `from ${parent}\n`),
  ];
  // Removals come first: a new folder may have the path of a removed file.
  for (const path of deleted) parts.push(Buffer.from(`D ${quoted(path)}\n`));
  for (const [path, file] of files) {
    const head = `M ${fileMode(file)} inline ${quoted(path)}\ndata ${file.bytes.length}\n`;
    parts.push(Buffer.from(head), file.bytes, Buffer.from("\n"));
  }
  parts.push(Buffer.from("done\n"));
  return Buffer.concat(parts);
}

/** Removes the characters that a git identity line cannot have. */
function plain(text: string): string {
  return text.replace(/[<>\p{Cc}]/gu, "").trim();
}

/** Quotes a path as C does, so that no path ends its line. */
function quoted(path: string): string {
  const escapeOf = (char: string) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
  return `"${path.replace(/["\\]|\p{Cc}/gu, (char) => (char > "\x7f" ? char : escapeOf(char)))}"`;
}
