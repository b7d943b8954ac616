import { Transform, type TransformCallback } from "node:stream";

const newline = 0x0a;

/** Counts rows in COPY's text format, in which a row is a line and a value has no line break. */
export class RowCount extends Transform {
  rows = 0;

  override _transform(bytes: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) this.rows += 1;
    callback(null, bytes);
  }
}
