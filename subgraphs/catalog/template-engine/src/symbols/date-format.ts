const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const standardFormats: Readonly<Record<string, string>> = {
  d: "MM/dd/yyyy",
  D: "dddd, dd MMMM yyyy",
  f: "dddd, dd MMMM yyyy HH:mm",
  F: "dddd, dd MMMM yyyy HH:mm:ss",
  U: "dddd, dd MMMM yyyy HH:mm:ss",
  g: "MM/dd/yyyy HH:mm",
  G: "MM/dd/yyyy HH:mm:ss",
  m: "MMMM dd",
  M: "MMMM dd",
  o: "yyyy-MM-ddTHH:mm:ss.fffffffK",
  O: "yyyy-MM-ddTHH:mm:ss.fffffffK",
  r: "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
  R: "ddd, dd MMM yyyy HH:mm:ss 'GMT'",
  s: "yyyy-MM-ddTHH:mm:ss",
  t: "HH:mm",
  T: "HH:mm:ss",
  u: "yyyy-MM-dd HH:mm:ss'Z'",
  y: "yyyy MMMM",
  Y: "yyyy MMMM",
};

/** The kind of a .NET time. A local time's `K` is its offset, which is always zero here. */
type TimeKind = "utc" | "local";

/** Formats a date with a .NET date format in the invariant culture. */
export function formatDate(date: Date, format: string, kind: TimeKind = "utc"): string {
  const standard = format === "" ? standardFormats["G"] : format.length === 1 ? standardFormats[format] : undefined;
  return custom(date, standard ?? format, kind);
}

function custom(date: Date, format: string, kind: TimeKind): string {
  let out = "";
  for (let i = 0; i < format.length; ) {
    const character = format.charAt(i);
    if (character === "'" || character === '"') {
      const end = format.indexOf(character, i + 1);
      out += format.slice(i + 1, end === -1 ? undefined : end);
      i = end === -1 ? format.length : end + 1;
    } else if (character === "\\") {
      out += format.charAt(i + 1);
      i += 2;
    } else if (character === "%") {
      i++;
    } else {
      let count = 1;
      while (format.charAt(i + count) === character) count++;
      const addition = character === "K" && kind === "local" ? "+00:00".repeat(count) : part(date, character, count);
      // a fraction that is left out also removes the dot before it
      out = character === "F" && addition === "" && out.endsWith(".") ? out.slice(0, -1) : out + addition;
      i += count;
    }
  }
  return out;
}

function part(date: Date, letter: string, count: number): string {
  switch (letter) {
    case "d":
      return count >= 3 ? named(dayNames, date.getUTCDay(), count) : padded(date.getUTCDate(), count);
    case "M":
      return count >= 3 ? named(monthNames, date.getUTCMonth(), count) : padded(date.getUTCMonth() + 1, count);
    case "y":
      return count <= 2
        ? padded(date.getUTCFullYear() % 100, count)
        : String(date.getUTCFullYear()).padStart(count, "0");
    case "H":
      return padded(date.getUTCHours(), count);
    case "h":
      return padded(date.getUTCHours() % 12 || 12, count);
    case "m":
      return padded(date.getUTCMinutes(), count);
    case "s":
      return padded(date.getUTCSeconds(), count);
    case "f":
    case "F":
      return fraction(date, count, letter === "F");
    case "t":
      return (date.getUTCHours() < 12 ? "AM" : "PM").slice(0, count);
    default:
      return zoned(letter, count);
  }
}

function zoned(letter: string, count: number): string {
  if (letter === "K") return "Z".repeat(count);
  if (letter === "z") return count === 1 ? "+0" : count === 2 ? "+00" : "+00:00";
  return letter === "g" ? "A.D." : letter.repeat(count);
}

function named(names: readonly string[], index: number, count: number): string {
  const name = names[index] ?? "";
  return count === 3 ? name.slice(0, 3) : name;
}

function padded(value: number, count: number): string {
  return String(value).padStart(Math.min(count, 2), "0");
}

function fraction(date: Date, count: number, short: boolean): string {
  const digits = `${String(date.getUTCMilliseconds()).padStart(3, "0")}0000`.slice(0, count);
  return short ? digits.replace(/0+$/, "") : digits;
}
