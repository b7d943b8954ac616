/** Why no file can be used: the disk is full, read-only or broken, or no file descriptor is left. */
export type FileFailure = "Full" | "ReadOnly" | "Broken" | "NoDescriptors";

/** Codes of system errors. `EFBIG` is absent, since a limit of the work itself causes it. */
const failureOfCode: Readonly<Record<string, FileFailure>> = {
  ENOSPC: "Full",
  EDQUOT: "Full",
  EROFS: "ReadOnly",
  EIO: "Broken",
  EMFILE: "NoDescriptors",
  ENFILE: "NoDescriptors",
};

/** The texts of the same errors in the output of other programs (glibc, and two of git's own). */
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

  /** `code`: that of the system error. */
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.fileFailure = failureOfCode[code] ?? "Broken";
  }
}

/** The kind of file failure of the error or of its causes. Undefined for any other error. */
export function fileFailure(error: unknown): FileFailure | undefined {
  for (let cause = error; isErrorLike(cause); cause = cause.cause) {
    const { fileFailure: told, code } = cause as { fileFailure?: FileFailure; code?: unknown };
    if (told !== undefined) return told;
    if (typeof code === "string" && Object.hasOwn(failureOfCode, code)) return failureOfCode[code];
  }
  return undefined;
}

/** An `instanceof Error` would miss errors of another realm. */
const isErrorLike = (error: unknown): error is Error =>
  typeof error === "object" && error !== null && "message" in error;

/** Whether files or file descriptors of the platform are the reason. */
export const isFileOutage = (error: unknown): boolean => fileFailure(error) !== undefined;

/** The code of the system error that the output of a program tells; undefined when it tells none. */
export function systemCodeIn(output: string): string | undefined {
  return Object.keys(textsOfCode).find((code) => textsOfCode[code]?.test(output));
}
