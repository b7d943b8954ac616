/** The records in an RFC 4180 text. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field = "";
    if (text[at] === '"') {
      let end = at;
      do {
        const start = end + 1;
        end = text.indexOf('"', start);
        field += `${text.slice(start, end)}"`;
        end += 1;
      } while (text[end] === '"');
      field = field.slice(0, -1);
      at = end;
    } else {
      const end = text.slice(at).search(/,|\r\n/);
      field = text.slice(at, at + end);
      at += end;
    }
    record.push(field);
    if (text[at] === ",") {
      at += 1;
      continue;
    }
    if (text.slice(at, at + 2) !== "\r\n") throw new Error(`A record does not end at ${at}`);
    at += 2;
    records.push(record);
    record = [];
  }
  return records;
}
