import { hash } from "node:crypto";
import { Html, html } from "@factory/runtime/html/html";

/** The pages' style sheet. Colors have a contrast of at least 4.5 to 1 in the light and in the dark scheme. */
const style = `:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#16191f;--quiet:#4b5563;--edge:#d9dce1;--act:#1d4ed8;--code:#f0f2f5;--mark:#e7eefc}
@media (prefers-color-scheme:dark){:root{--page:#101318;--card:#191d24;--text:#eef0f3;--quiet:#b3bac5;--edge:#2d333d;--act:#8ab4ff;--code:#12161c;--mark:#1d2a44}}
*{box-sizing:border-box}
html{font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans","Liberation Sans",sans-serif;background:var(--page);color:var(--text);-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;display:grid;grid-template-columns:minmax(0,1fr);max-width:80rem;margin-inline:auto}
a{color:var(--act);text-decoration-thickness:1px;text-underline-offset:2px}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
.site-skip{position:absolute;left:-100rem}
.site-skip:focus{left:1rem;top:1rem;z-index:1;background:var(--card);padding:.5rem 1rem}
.site{grid-column:1/-1;padding:.5rem .5rem;border-bottom:1px solid var(--edge);font-size:.875rem}
.site nav{position:static;height:auto;padding:0;overflow:visible}
.site ul{display:flex;flex-wrap:wrap;gap:.125rem;margin:0}
.site li a[aria-current]{color:var(--text);font-weight:650}
nav{padding:1.5rem 1rem 0;font-size:.875rem}
nav ul{list-style:none;margin:0 0 1rem;padding:0}
nav summary{font-weight:650;cursor:pointer;padding:.125rem 0}
nav li a{display:block;padding:.125rem .5rem;color:var(--quiet);text-decoration:none;overflow-wrap:anywhere;border-radius:6px}
nav li a:hover{color:var(--act);background:var(--mark)}
main{padding:1.5rem 1rem 4rem;min-width:0}
h1{font-size:2rem;line-height:1.2;margin:0 0 .75rem;font-weight:680;letter-spacing:-.01em}
h2{font-size:1.375rem;margin:3rem 0 .5rem;font-weight:650}
h3{font-size:1.0625rem;margin:0;font-weight:650;overflow-wrap:anywhere}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
p{margin:0 0 1rem;max-width:46rem}
.lead{font-size:1.125rem;color:var(--quiet)}
article{background:var(--card);border:1px solid var(--edge);border-radius:12px;padding:1rem 1.25rem;margin:1rem 0}
article:target{border-color:var(--act);box-shadow:0 0 0 1px var(--act)}
article p{margin:.25rem 0 .75rem}
.facts{display:flex;flex-wrap:wrap;gap:.375rem 1rem;margin:0 0 .75rem;font-size:.875rem;color:var(--quiet)}
.facts dt,.facts dd{display:inline;margin:0}
.facts>div{min-width:0}
.facts code,.facts a,p code{overflow-wrap:anywhere}
code,pre{font:0.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
code{background:var(--code);border-radius:4px;padding:.0625rem .25rem}
pre{background:var(--code);border:1px solid var(--edge);border-radius:8px;padding:.75rem 1rem;margin:.5rem 0 .75rem;overflow-x:auto;tab-size:2}
pre code{background:none;padding:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.875rem}
th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-top:1px solid var(--edge)}
thead th{border-top:0;color:var(--quiet);font-weight:600}
tbody th{font-weight:400}
td:last-child{padding-right:0}
details{margin-top:.75rem;font-size:.875rem}
summary{cursor:pointer;color:var(--act)}
@media (max-width:40rem){thead{position:absolute;left:-100rem}tr{display:grid;grid-template-columns:minmax(0,auto) minmax(0,1fr);gap:.125rem .75rem;border-top:1px solid var(--edge);padding:.375rem 0}th,td{border:0;padding:0;overflow-wrap:anywhere}td:nth-child(3){grid-column:1/-1}td:empty{display:none}tbody tr:first-child{border-top:0}}
.names{columns:14rem;list-style:none;padding:0;margin:0;font-size:.875rem}
.names li{overflow-wrap:anywhere;break-inside:avoid}
@media (min-width:60rem){body{grid-template-columns:17rem minmax(0,1fr);gap:2rem;padding-inline:1.5rem}nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:2rem 0}main{padding-top:2rem}nav details::details-content{content-visibility:visible}}
@supports selector(::details-content){@media (min-width:60rem){nav summary{list-style:none;cursor:default;color:var(--text);pointer-events:none;padding-inline:.5rem}}}
.guide h2{margin-top:2.5rem}
.guide h3{margin:1.75rem 0 .5rem}
.guide .scroll{margin-bottom:1.25rem}
.guide li{max-width:46rem;margin:.25rem 0}
.guide ul,.guide ol{padding-left:1.25rem}
.guide code{overflow-wrap:anywhere}
.guide pre code{overflow-wrap:normal}
.guide td,.guide th{padding-right:1rem}
@media (max-width:40rem){.plain tr{grid-template-columns:minmax(0,1fr)}.plain td:first-child{font-weight:650}.plain td:nth-child(3){grid-column:auto}}
@media print{nav{display:none}article{break-inside:avoid}}`;

/** The style sheet's hash for the CSP directive `style-src`: browsers apply no other style. */
const styleSource = `'sha256-${hash("sha256", style, "base64")}'`;

/** Headers for a page that runs no script, loads nothing, sends no form, and cannot be framed. */
export const pageHeaders = {
  "content-security-policy": `default-src 'none'; style-src ${styleSource}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  "x-frame-options": "DENY",
};

/** The parts of a page that runs no script. */
export interface TextPage {
  readonly title: string;
  readonly bar: Html;
  readonly navigation: Html;
  readonly content: Html;
}

/** The whole document of a page that runs no script. */
export const textPage = ({ title, bar, navigation, content }: TextPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
${bar}
${navigation}
<main id="content">
${content}
</main>
</body>
</html>
`.text;
