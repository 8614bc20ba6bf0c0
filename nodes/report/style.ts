/** How a report looks on a screen, and on A4 paper. It loads nothing. */
export const STYLE = `
@page { size: A4; margin: 14mm 12mm }
* { box-sizing: border-box }
body { margin: 0; background: #f3f4f6; color: #1f2430; font: 14px/1.45 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; print-color-adjust: exact; -webkit-print-color-adjust: exact }
main { max-width: 1040px; margin: 24px auto; padding: 32px 36px; background: #fff; border-radius: 10px; box-shadow: 0 1px 4px rgba(20, 24, 40, .12) }
header { display: flex; justify-content: space-between; align-items: flex-start; gap: 24px }
h1 { margin: 0; font-size: 26px; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere }
h2 { margin: 32px 0 8px; font-size: 16px }
.subtitle { margin: 4px 0 0; font-size: 15px }
.time { margin: 4px 0 0; color: #6b7280; font-size: 13px }
.download { flex: none; padding: 8px 14px; border: 1px solid #c9ced8; border-radius: 6px; color: #1f2430; text-decoration: none; font-weight: 600; font-size: 13px }
.download:hover { background: #f3f4f6 }
.headline { display: flex; flex-wrap: wrap; gap: 8px 20px; align-items: baseline; margin: 22px 0 10px; font-size: 18px }
.headline span { color: #6b7280; font-size: 14px }
.bar { display: flex; gap: 2px; height: 14px; border-radius: 7px; overflow: hidden }
.bar i { min-width: 4px; background: currentColor }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0 0; padding: 0; list-style: none; font-size: 13px }
.legend b { color: #1f2430 }
.legend li::before { content: ""; display: inline-block; width: 9px; height: 9px; margin-right: 6px; border-radius: 50%; background: currentColor }
.good { color: #14804a } .going { color: #2563a8 } .wait { color: #b45309 } .bad { color: #b3261e } .none { color: #6b7280 }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
.totals { width: auto; min-width: 50%; margin-top: 22px }
th { text-align: left; font-size: 12px; font-weight: 600; color: #4b5563; border-bottom: 1px solid #c9ced8 }
th, td { padding: 6px 10px 6px 0; vertical-align: top }
td { border-bottom: 1px solid #eceef2; overflow-wrap: anywhere }
.number { text-align: right; white-space: nowrap; overflow-wrap: normal }
.number + td, .number + th { padding-left: 14px }
.account, .code { white-space: nowrap }
.verdict { font-weight: 600 }
.code { color: #4b5563; font: 10px/1.9 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
.rows { font-size: 13px }
.urgent, .funding { margin-top: 28px; padding: 2px 18px 14px; border-radius: 8px; background: #fdf4f3; break-inside: auto }
.funding { background: #fdf6ec }
.funding ul { margin: 0; padding-left: 18px; overflow-wrap: anywhere }
.urgent h2, .funding h2 { margin-top: 14px }
.urgent tr:not(.detail):has(+ .detail) td { border-bottom: 0; padding-bottom: 0 }
.detail td { color: #4b5563; font-size: 12px; padding-top: 0 }
footer { display: none }
thead { display: table-header-group }
tr { break-inside: avoid }
@media screen and (max-width: 700px) {
main { margin: 0; padding: 18px; border-radius: 0 }
header { flex-direction: column }
.rows thead { display: none }
.rows, .rows tbody { display: block }
.rows tr { display: grid; grid-template-columns: 1fr auto; gap: 0 12px; padding: 6px 0; border-bottom: 1px solid #eceef2 }
.rows td { padding: 1px 0; border: 0; white-space: normal }
.rows td:nth-child(2) { grid-area: 2 / 1 }
.rows td:nth-child(5) { grid-area: 2 / 2 }
.rows td:nth-child(4), .rows .code, .detail td { grid-column: 1 / 3 }
.rows .code { overflow-wrap: anywhere }
}
@media screen and (prefers-color-scheme: dark) {
:root { color-scheme: dark }
body { background: #14161a; color: #e5e7eb }
main { background: #1d2026; box-shadow: none }
.download, .legend b { color: #e5e7eb }
.download:hover { background: #2a2e36 }
.time, .headline span, th, .code, .detail td { color: #a8b0bd }
th { border-color: #4b5563 } td, .rows tr { border-color: #2f343d }
.urgent { background: #2c1f1f } .funding { background: #2b2419 }
.good { color: #4ec287 } .going { color: #7ab3ee } .wait { color: #f0a850 } .bad { color: #ff8a80 } .none { color: #a8b0bd }
}
@media print {
body { background: #fff; font-size: 11px }
main { max-width: none; margin: 0; padding: 0; box-shadow: none }
.download { display: none }
.rows { font-size: 9.5px } .code { font-size: 7px } .detail td { font-size: 8.5px } .rows th { font-size: 9px }
footer { display: flex; gap: 48px; margin-top: 56px; break-inside: avoid }
footer p { flex: 1; margin: 0; padding-top: 6px; border-top: 1px solid #1f2430; color: #6b7280 }
}
`;
