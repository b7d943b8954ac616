/** Why no file can be used: the disk is full, read-only or broken, or no file descriptor is left. */
export type FileFailure = "Full" | "ReadOnly" | "Broken" | "NoDescriptors";

/** System error codes. `EFBIG` is absent, since the work's own limit causes it. */
const failureOfCode: Readonly<Record<string, FileFailure>> = {
  ENOSPC: "Full",
  EDQUOT: "Full",
  EROFS: "ReadOnly",
  EIO: "Broken",
  EMFILE: "NoDescriptors",
  ENFILE: "NoDescriptors",
};

/** The same errors as other programs print them (glibc, and two texts from git). */
const textsOfCode: Readonly<Record<string, RegExp>> = {
  ENOSPC: /No space left on device|Out of diskspace/,
  EDQUOT: /Disk quota exceeded/,
  EROFS: /Read-only file system|unable to create temporary object directory/,
  EIO: /Input\/output error/,
  EMFILE: /Too many open files/,
};

/** The platform cannot use its files or start a program now. The same work may succeed later. */
export class FileOutage extends Error {
  override readonly name = "FileOutage";
  readonly fileFailure: FileFailure;

  /** `code`: the system error's code. */
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.fileFailure = failureOfCode[code] ?? "Broken";
  }
}

/** The file failure in the error or its causes. Undefined for any other error. */
export function fileFailure(error: unknown): FileFailure | undefined {
  for (let cause = error; isErrorLike(cause); cause = cause.cause) {
    const { fileFailure: reportedFailure, code } = cause as { fileFailure?: FileFailure; code?: unknown };
    if (reportedFailure !== undefined) return reportedFailure;
    if (typeof code === "string" && Object.hasOwn(failureOfCode, code)) return failureOfCode[code];
  }
  return undefined;
}

/** An `instanceof Error` would miss errors from another realm. */
const isErrorLike = (error: unknown): error is Error =>
  typeof error === "object" && error !== null && "message" in error;

/** Whether the platform's files or file descriptors are the reason. */
export const isFileOutage = (error: unknown): boolean => fileFailure(error) !== undefined;

/** The system error code that a program's output tells; undefined when it tells none. */
export function systemCodeIn(output: string): string | undefined {
  return Object.keys(textsOfCode).find((code) => textsOfCode[code]?.test(output));
}
