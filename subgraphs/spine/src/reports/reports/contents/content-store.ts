import type { Readable } from "node:stream";

/** The name of the content of one attempt of a run. */
export interface ContentName {
  /** uuid */
  readonly tenant: string;
  /** uuid */
  readonly run: string;
  /** The fencing number of the attempt, so that no attempt replaces the content of another one. */
  readonly fence: number;
}

/** A content that is stored as a whole. */
export interface StoredContent {
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** A content that is open for reading. Close it, or read it to its end. */
export interface OpenContent {
  readonly sizeBytes: number;
  /** The bytes from `start` to `end`, both included. */
  read(start: number, end: number): Readable;
  close(): Promise<void>;
}

/** The contents of report runs, which only this subgraph reads. The driver keeps them in files (`FileContents`). */
export interface ContentStore {
  /**
   * Stores a content as a whole or not at all: when this resolves, it survives a loss of power. Throws ContentTooLarge,
   * and errors of `chunks` and of the store as they are.
   */
  write(name: ContentName, chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<StoredContent>;
  /** Waits while no content can be written. Throws the reason after a while, and that of the signal. */
  usable(signal: AbortSignal): Promise<void>;
  /** Undefined: it does not exist. */
  open(name: ContentName): Promise<OpenContent | undefined>;
  /** Removes a content, and what an interrupted write has left of it. */
  remove(name: ContentName): Promise<void>;
  /** The names of all contents of a tenant at a time, with those of interrupted writes. */
  all(): AsyncIterable<readonly ContentName[]>;
}

/** The content has more bytes than are allowed, or than a file of the store can have. */
export class ContentTooLarge extends Error {
  override readonly name = "ContentTooLarge";

  constructor(
    readonly maxBytes: number,
    options?: ErrorOptions,
  ) {
    super(`The content is larger than ${maxBytes} bytes.`, options);
  }
}
