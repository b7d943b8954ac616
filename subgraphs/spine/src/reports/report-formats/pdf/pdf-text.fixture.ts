import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const program = "/usr/bin/pdftotext";

/** False on a machine without the package poppler-utils. */
export const hasPdfToText = existsSync(program);

/** A pdf's pages as texts in the page layout, read by poppler. */
export async function pagesOf(pdf: Buffer): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "pdf-text-"));
  try {
    const file = join(folder, "report.pdf");
    await writeFile(file, pdf);
    const { stdout, stderr } = await promisify(execFile)(program, ["-layout", "-enc", "UTF-8", file, "-"], {
      maxBuffer: 64 * 1024 * 1024,
    });
    if (stderr !== "") throw new Error(`pdftotext complains: ${stderr}`);
    return stdout.split("\f").slice(0, -1);
  } finally {
    await rm(folder, { recursive: true });
  }
}
