// A counterexample as DOT for Graphviz: a box per transaction with its operations, an edge per dependency.
import type { HistoryReport, HistoryTransaction } from "../../protocol/history";

/** One digraph; empty except for its title if nothing was violated. */
export function historyDot(report: HistoryReport): string {
  const { violation } = report;
  const title = violation
    ? `${report.file}: ${violation.title} violates ${violation.level}`
    : `${report.file}: no violation`;
  const lines = [
    `digraph history {`,
    `  label=${quote(title)}; labelloc=t; fontname="sans-serif";`,
    `  node [shape=plain, fontname="sans-serif"]; edge [fontname="sans-serif"];`,
    ...(violation?.story ?? []).map((each) => `  ${quote(each.name)} [label=${box(each)}];`),
    ...[...(violation?.edges ?? []), ...(violation?.support ?? [])].map((edge, at) => {
      const key = edge.key === undefined ? "" : ` ${edge.key}`;
      const isBeside = at >= (violation?.edges.length ?? 0);
      const style = `${STYLES[edge.type]}${isBeside ? ", penwidth=0.6, constraint=false" : ""}`;
      return `  ${quote(edge.from)} -> ${quote(edge.to)} [label=${quote(edge.type + key)}, tooltip=${quote(edge.reason.text)}, ${style}];`;
    }),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

const STYLES = {
  rw: 'color="#b5401f", style=dashed',
  wr: 'color="#0067b8"',
  ww: 'color="#8a6d00", style=bold',
  so: 'color="#6b6b6b", style=dotted',
  rt: 'color="#6b6b6b", style=dotted',
} as const;

function box({ name, session, operations }: HistoryTransaction): string {
  const rows = operations.map(({ text }) => `<tr><td align="left">${escapeXml(text)}</td></tr>`);
  const head = `<tr><td><b>${escapeXml(name)}</b> session ${escapeXml(session)}</td></tr>`;
  return `<<table border="1" cellborder="0" cellspacing="0" cellpadding="3">${head}${rows.join("")}</table>>`;
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " ")}"`;
}

/** Text between tags and in attributes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll(/[^\u0009\u000a\u000d\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
}
