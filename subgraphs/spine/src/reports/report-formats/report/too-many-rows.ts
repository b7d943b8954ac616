/** A report has more rows than its format can hold. */
export class TooManyRowsError extends Error {
  override readonly name = "TooManyRowsError";

  constructor(
    /** The format as its readers know it, for example "A pdf". */
    format: string,
    readonly maxRows: number,
  ) {
    super(`${format} holds at most ${maxRows} rows. Choose a shorter period, or the format csv, which has no limit.`);
  }
}
