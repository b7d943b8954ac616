import { PlatformFolder } from "@factory/runtime/files/platform-folder";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";

/** The spine's compiled files that the bench runs by itself. */
const importCompiled = (file: string) => import(new URL(`../../../subgraphs/spine/dist/${file}`, import.meta.url).href);

const { ReportSnapshots } = await importCompiled("reports/reports/snapshot/report-snapshots.js");
const { FileContents } = await importCompiled("reports/reports/contents/file-contents.js");
const { auditLogSource } = await importCompiled("reports/reports/sources/audit-log-statement.js");
const { reportFormats } = await importCompiled("reports/report-formats/report-formats.js");

export type Batches = AsyncIterable<readonly (readonly unknown[])[]>;

interface Snapshot {
  batches(text: string, values: readonly unknown[]): Batches;
}

export type ReportFormatName = "csv" | "json" | "xlsx" | "pdf";

/** The first row's moment. One row follows in each second. */
export const firstRowAt = new Date("2026-01-01T00:00:00Z");

/** The moment before which there are as many rows. */
export const endOf = (rows: number): Date => new Date(firstRowAt.getTime() + (rows + 1) * 1000);

/** One tenant's report `audit-log`, written as its job does: from the rows in a snapshot into a file. */
export class AuditReports {
  readonly #tenantId: string;
  readonly #snapshots;
  readonly #contents;

  constructor(appUrl: string, tenantId: string, folder: string) {
    this.#tenantId = tenantId;
    this.#snapshots = new ReportSnapshots(appUrl, 1, createLogger("bench", "silent"));
    this.#contents = new FileContents(new PlatformFolder("FILES_DIR", folder));
  }

  get tenant(): string {
    return decodeId("ten", this.#tenantId) ?? "";
  }

  /** Keys of the csv columns. */
  get keys(): string[] {
    return auditLogSource.columns("csv").map(({ key }: { key: string }) => key);
  }

  use<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#snapshots.use(tenantWithId(this.#tenantId), new AbortController().signal, work);
  }

  /** Writes a report with as many rows, and returns its bytes. */
  write(format: ReportFormatName, rows: number, progress: (rows: number) => void = () => undefined): Promise<number> {
    const end = endOf(rows);
    const query = { tenantUuid: this.tenant, start: firstRowAt, end, periodOver: true, leftOut: [] };
    const columns = auditLogSource.columns(format);
    const report = { code: "audit-log", title: "Audit log", parameters: {}, columns, asOf: end };
    return this.use(async (snapshot) => {
      const source = await auditLogSource.read(snapshot, query, format);
      if (source.total !== rows) throw new Error(`There are ${source.total} rows instead of ${rows}`);
      const bytes = reportFormats[format].write(report, counted(source.rows, progress));
      const name = { tenant: this.tenant, run: this.tenant, fence: 1 };
      const { sizeBytes } = await this.#contents.write(name, bytes, 1e12);
      return sizeBytes as number;
    });
  }

  close(): Promise<void> {
    return this.#snapshots.close();
  }
}

async function* counted(batches: Batches, progress: (rows: number) => void): Batches {
  let rows = 0;
  for await (const batch of batches) {
    yield batch;
    rows += batch.length;
    progress(rows);
  }
}
