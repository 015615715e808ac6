// Anomalies in the form for the client and the panel: summaries for lists, payloads for one.
import { KINDS } from "../analysis/explain/kinds/kinds";
import { partnersText } from "../protocol/cause";
import { LEVELS, findLevel } from "../isolation/levels";
import { pageOfKind } from "../protocol/documentation";
import { isShown, shownEdges, type Anomaly } from "../protocol/report";
import type { AnomalyPayload, AnomalySummary, PanelPartner } from "../protocol/requests";
import { inApplication } from "../service/findings/applicationPlaces";
import { anomalyPlace, isFaded, toldAnomalies, type ProjectResult } from "./results";
import { clientUri, definedIn, levelName, type ServerState } from "./serverState";

/** The name of a kind, with its definition and source. */
export function describeKind(kind: string): {
  readonly title: string;
  readonly definition: string;
  readonly reference: string;
} {
  const known = KINDS.find((each) => each.name === kind);
  return known ?? { title: "Anomaly", definition: "", reference: "" };
}

/** The reported anomalies of a result, with stale ones marked. */
export function summariesOf(state: ServerState, result: ProjectResult): readonly AnomalySummary[] {
  const report = inApplication(result.report, result.project) ?? result.report;
  return toldAnomalies(report).flatMap((anomaly) => {
    const place = anomalyPlace(report, anomaly);
    if (!place) return [];
    const { id, kind, title, message, severity, status, transactions } = anomaly;
    return [
      {
        id,
        kind,
        title,
        message,
        level: levelName(result.level),
        severity,
        status,
        transactions,
        place: { uri: clientUri(state, result.project, place.file), range: place.range },
        stale: isFaded(result, anomaly),
        shown: isShown(anomaly),
        near: "elsewhere" as const,
      },
    ];
  });
}

/** The panel's data for the anomaly with an id, or null if there is none. */
export function payloadOf(state: ServerState, id: string): AnomalyPayload | null {
  for (const result of state.results.values()) {
    const found = result.report.anomalies.find((each) => each.id === id);
    if (!found) continue;
    const own = { ...result.report, anomalies: [found] };
    const [anomaly = found] = inApplication(own, result.project)?.anomalies ?? [];
    const { title, definition, reference } = describeKind(anomaly.kind);
    return {
      anomaly,
      level: levelName(result.level),
      title,
      definition,
      reference,
      rests: result.report.rests,
      ...basisText(result),
      assumptions: assumptionsOf(result, anomaly),
      labels: labelsOf(result, anomaly),
      uris: urisOf(state, result, anomaly),
      stale: isFaded(result, anomaly),
      partial: result.partial,
      ...racesText(result, anomaly),
      siblings: toldAnomalies(result.report)
        .filter((each) => isShown(each) || each.id === id)
        .map((each) => ({
          id: each.id,
          title: each.title,
          transactions: each.transactions,
        })),
      ...partnersOf(result, anomaly),
      documentation: pageOfKind(anomaly.kind),
    };
  }
  return null;
}

/** The anomalies of the same cause, each by its partner. */
function partnersOf(
  { report }: ProjectResult,
  { cause: id }: Anomaly,
): Pick<AnomalyPayload, "partners"> {
  const cause = report.causes?.find((each) => each.id === id);
  if (!cause) return {};
  const told = toldAnomalies(report).filter((each) => cause.anomalies.includes(each.id));
  const partners = told
    .toSorted((a, b) => cause.anomalies.indexOf(a.id) - cause.anomalies.indexOf(b.id))
    .map((each): PanelPartner => {
      const others = each.transactions.filter((name) => !cause.transactions.includes(name));
      return { id: each.id, partner: others.length === 0 ? "itself" : others.join(" and ") };
    });
  return partners.length > 1 ? { partners } : {};
}

function racesText({ report }: ProjectResult, { cause }: Anomaly): { readonly races?: string } {
  const own = report.causes?.find(({ id }) => id === cause);
  return own && own.anomalies.length > 1 ? { races: partnersText(own) } : {};
}

function basisText({ report, project }: ProjectResult): { readonly basis?: string } {
  const products = (report.basis ?? []).filter(({ evidence }) => evidence !== "axioms");
  if (products.length === 0) return {};
  const label = (name: string): string => findLevel(name, definedIn(project))?.label ?? name;
  return { basis: products.map(({ level, text }) => `${label(level)}: ${text}`).join("; ") };
}

function assumptionsOf({ report }: ProjectResult, anomaly: Anomaly): readonly string[] {
  return report.assumptions
    .filter(({ transactions }) => anomaly.transactions.every((name) => transactions.includes(name)))
    .map(({ kind, text }) => (kind === "counter" ? `${text} (inferred)` : text));
}

function labelsOf({ project }: ProjectResult, anomaly: Anomaly): Readonly<Record<string, string>> {
  const names = [...anomaly.preventedBy, ...anomaly.allowedAt];
  return Object.fromEntries(
    [...LEVELS, ...definedIn(project)]
      .filter((level) => names.includes(level.name))
      .map((level) => [level.name, level.label]),
  );
}

function urisOf(
  state: ServerState,
  result: ProjectResult,
  anomaly: Anomaly,
): Readonly<Record<string, string>> {
  const ends = shownEdges(anomaly).flatMap((edge) => [edge.from, edge.to]);
  const files = new Set([...anomaly.steps, ...ends].map((each) => each.file));
  files.delete("");
  return Object.fromEntries(
    [...files].map((file) => [file, clientUri(state, result.project, file)]),
  );
}
