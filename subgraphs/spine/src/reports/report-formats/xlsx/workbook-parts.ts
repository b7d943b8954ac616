import type { CellKind } from "../report/report.js";
import { xmlText } from "./xml-text.js";

/** Indexes into the style part's `cellXfs`. */
export const cellStyles: Record<CellKind | "header", number> = {
  text: 0,
  boolean: 0,
  header: 1,
  integer: 2,
  decimal: 3,
  date: 4,
  "date-time": 5,
};

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const officeRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageRelations = "http://schemas.openxmlformats.org/package/2006/relationships";
const sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml";

const contentTypes = `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheetType}"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="${sheetType}"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`;

const packageParts = `${declaration}<Relationships xmlns="${packageRelations}"><Relationship Id="rId1" Type="${officeRelations}/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`;

const sheetParts = `${declaration}<Relationships xmlns="${packageRelations}"><Relationship Id="rId1" Type="${officeRelations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${officeRelations}/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="${officeRelations}/styles" Target="styles.xml"/></Relationships>`;

// the properties have neither times nor authors, so that they are the same in every file
const coreProperties = `${declaration}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator></dc:creator></cp:coreProperties>`;

const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE8EDF3"/><bgColor indexed="64"/></patternFill></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/><xf numFmtId="3" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

const workbook = (title: string): string =>
  `${declaration}<workbook xmlns="${main}" xmlns:r="${officeRelations}"><sheets><sheet name="${sheetName(title)}" sheetId="1" r:id="rId1"/><sheet name="About" sheetId="2" r:id="rId2"/></sheets></workbook>`;

/** A name that Excel accepts: at most 31 characters, without `[]:*?/\\'`, and different from the other sheet's name. */
function sheetName(title: string): string {
  const name = title
    .replace(/[^\x20-\uD7FF]|[[\]:*?/\\']/g, " ")
    .slice(0, 31)
    .trim();
  return xmlText(name === "" || name.toLowerCase() === "about" ? "Report" : name);
}

/** A workbook's parts beside its sheets, as path and XML. They are constant but for the main sheet's name. */
export const workbookParts = (title: string): [path: string, xml: string][] => [
  ["[Content_Types].xml", contentTypes],
  ["_rels/.rels", packageParts],
  ["docProps/core.xml", coreProperties],
  ["xl/workbook.xml", workbook(title)],
  ["xl/_rels/workbook.xml.rels", sheetParts],
  ["xl/styles.xml", styles],
];
