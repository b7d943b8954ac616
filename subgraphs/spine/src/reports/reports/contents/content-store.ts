import type { Readable } from "node:stream";

/** The name for the content that one attempt writes for a run. */
export interface ContentName {
  /** uuid */
  readonly tenant: string;
  /** uuid */
  readonly run: string;
  /** The attempt's fencing number, so that no attempt replaces another one's content. */
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

/** The report runs' contents, which only this subgraph reads. The driver keeps them in files (`FileContents`). */
export interface ContentStore {
  /**
   * Stores a content as a whole or not at all: when this resolves, it survives a power failure. Throws ContentTooLarge,
   * and errors from `chunks` and from the store as they are.
   */
  write(name: ContentName, chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<StoredContent>;
  /** Waits while no content can be written. Throws the reason after a while, and the signal's reason. */
  usable(signal: AbortSignal): Promise<void>;
  /** Undefined: it does not exist. */
  open(name: ContentName): Promise<OpenContent | undefined>;
  /** Removes a content, and the rest that an interrupted write has left. */
  remove(name: ContentName): Promise<void>;
  /** The names for all contents, one tenant at a time, including interrupted writes. */
  all(): AsyncIterable<readonly ContentName[]>;
}

/** The content has more bytes than are allowed, or than a file in the store can have. */
export class ContentTooLarge extends Error {
  override readonly name = "ContentTooLarge";

  constructor(
    readonly maxBytes: number,
    options?: ErrorOptions,
  ) {
    super(`The content is larger than ${maxBytes} bytes.`, options);
  }
}
