import { hash } from "node:crypto";

/** The style sheet for all pages. Colors have a contrast of at least 4.5 to 1 in the light and in the dark scheme. */
export const style = `:root{color-scheme:light dark;--page:#f3f4f6;--card:#fff;--text:#16191f;--quiet:#4b5563;--line:#6b7280;--edge:#d9dce1;--act:#1d4ed8;--on-act:#fff;--act-over:#1e40af;--bad:#b42318;--bad-page:#fef3f2;--focus:#1d4ed8}
@media (prefers-color-scheme:dark){:root{--page:#101318;--card:#191d24;--text:#eef0f3;--quiet:#b3bac5;--line:#8a93a1;--edge:#2d333d;--act:#8ab4ff;--on-act:#0b1526;--act-over:#b3ceff;--bad:#ff9c92;--bad-page:#2b1715;--focus:#8ab4ff}}
*{box-sizing:border-box}
html{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans","Liberation Sans",sans-serif;background:var(--page);color:var(--text);-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;align-items:center;justify-content:center;padding:16px}
main{width:100%;max-width:26rem;background:var(--card);border:1px solid var(--edge);border-radius:12px;padding:clamp(20px,6vw,36px);overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem;font-weight:650}
h2{font-size:1rem;margin:0 0 .25rem}
p{margin:0 0 1rem}
.quiet{color:var(--quiet)}
form{margin:1.5rem 0 0}
.field{margin:0 0 1.125rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
.hint{display:block;color:var(--quiet);font-size:.875rem;margin:0 0 .375rem}
.wrong{display:block;color:var(--bad);font-size:.875rem;font-weight:600;margin:0 0 .375rem}
input{width:100%;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:8px;padding:.625rem .75rem}
input[aria-invalid=true]{border-color:var(--bad);border-width:2px}
button{font:inherit;font-weight:600;min-height:2.75rem;width:100%;border:1px solid var(--act);border-radius:8px;padding:.5rem 1rem;background:var(--act);color:var(--on-act);cursor:pointer}
button:hover{background:var(--act-over);border-color:var(--act-over)}
button.plain{background:transparent;color:var(--text);border-color:var(--line)}
button.plain:hover{background:var(--page)}
.actions{display:flex;flex-direction:column;gap:.75rem;margin-top:1.5rem}
a{color:var(--act)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.problem{background:var(--bad-page);border:1px solid var(--bad);border-radius:8px;padding:.75rem 1rem;margin:1rem 0 0}
.problem p,.problem ul{margin:0}
.problem ul{padding-left:1.25rem}
.problem a{color:var(--bad);font-weight:600}
.scopes{list-style:none;margin:0 0 1rem;padding:0;border:1px solid var(--edge);border-radius:8px}
.scopes li{padding:.5rem .75rem}
.scopes li+li{border-top:1px solid var(--edge)}
.qr{max-width:14rem;margin:0 0 1rem}
.qr svg{display:block;width:100%;height:auto}
.codes{columns:9.5rem 2;list-style:none;margin:0 0 1rem;padding:0}
.codes code{font-size:.8125rem;white-space:nowrap}
.rows{list-style:none;margin:0 0 1rem;padding:0}
.rows li{padding:.75rem 0}
.rows li:first-child{padding-top:.25rem}
.rows li+li{border-top:1px solid var(--edge)}
.rows form{margin:.75rem 0 0}
.rows .quiet{font-size:.875rem}
section{margin:2rem 0 0;padding:1.5rem 0 0;border-top:1px solid var(--edge)}
section h2{font-size:1.125rem;margin:0 0 .5rem}
section>form{margin-top:1rem}
summary{width:max-content;max-width:100%;margin:.25rem 0 0;color:var(--act);font-size:.875rem;cursor:pointer}
.apart{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
a.button{display:flex;align-items:center;justify-content:center;min-height:2.75rem;border:1px solid var(--line);border-radius:8px;padding:.5rem 1rem;font-weight:600;color:var(--text);text-align:center;text-decoration:none}
a.button:hover{background:var(--page)}
.or{display:flex;align-items:center;gap:.75rem;color:var(--quiet);margin:1.25rem 0}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--edge)}
.or+form{margin:0}
.fine{font-size:.875rem;color:var(--quiet);margin:1.25rem 0 0}
.fine+.field{margin-top:1.25rem}
time{white-space:nowrap}
@media (forced-colors:active){main,.problem,.scopes{border:1px solid}}`;

/** The style sheet's hash for the CSP directive `style-src`: browsers apply no other style. */
export const styleSource = `'sha256-${hash("sha256", style, "base64")}'`;
