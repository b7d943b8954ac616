import type { Cell, CellKind } from "../report/report.js";

/** A cell as people read it. Times are in UTC, and nothing depends on a locale. */
export function cellText(cell: Cell, kind: CellKind): string {
  if (cell === null) return "";
  if (cell instanceof Date)
    return cell
      .toISOString()
      .replace("T", " ")
      .replace(/\.\d+Z$/, "");
  if (typeof cell === "number") return numberText(cell, kind);
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return cell;
}

/** Groups with three digits. A decimal has at most 12 significant digits, so that 0.1 + 0.2 is 0.3. */
export function numberText(value: number, kind: CellKind = "decimal"): string {
  const text = String(kind === "integer" ? value : Number(value.toPrecision(12)));
  if (text.includes("e")) return text;
  const [whole = "", fraction] = text.split(".");
  const groupedDigits = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? groupedDigits : `${groupedDigits}.${fraction}`;
}
